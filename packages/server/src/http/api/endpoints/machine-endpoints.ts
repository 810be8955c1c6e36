import {
  claimConditionSchema,
  createdMachineClientSchema,
  machineClientAuthSchema,
  machineClientSchema,
  serviceUserSchema,
  trustedIssuerKindSchema,
  trustedIssuerSchema,
} from "@hub/contract/machine.ts";
import { createdTokenSchema, tokenBoundsSchema } from "@hub/contract/token.ts";
import { roleSchema } from "@hub/contract/user.ts";
import { z } from "zod";
import * as clients from "../../../services/machines/manage-machine-clients.ts";
import * as serviceUsers from "../../../services/machines/manage-service-users.ts";
import * as issuers from "../../../services/machines/manage-trusted-issuers.ts";
import { defineEndpoint } from "../endpoint.ts";
import { byUser } from "./path-params.ts";

const byClient = z.object({ client: z.uuid().meta({ description: "Id of a machine client." }) });
const byIssuer = z.object({ issuer: z.uuid().meta({ description: "Id of a trusted issuer." }) });

const owner = z.uuid().meta({ description: "Id of the person who answers for it." });
const serviceUser = z.uuid().meta({ description: "Id of a service user." });
const days = z.int().meta({ description: "1 to 3650." });

export const listServiceUsers = defineEndpoint({
  name: "listServiceUsers",
  summary: "List the service users",
  answer: z.object({ service_users: z.array(serviceUserSchema) }),
  handle: async ({ services }) => ({
    service_users: await serviceUsers.listServiceUsers(services),
  }),
});

export const addServiceUser = defineEndpoint({
  name: "addServiceUser",
  summary: "Add a service user",
  description: "A user for programs, without a password. It sees at most what its owner sees.",
  body: z.strictObject({
    name: z.string(),
    owner: owner.optional(),
    role: roleSchema.optional(),
    tags: z.array(z.string()).optional(),
  }),
  status: 201,
  answer: serviceUserSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, body: { name, owner, role, tags } }) =>
    serviceUsers.addServiceUser(services, actor, {
      name,
      ...(owner !== undefined && { owner }),
      ...(role !== undefined && { role }),
      ...(tags !== undefined && { tags }),
    }),
});

export const changeServiceUser = defineEndpoint({
  name: "changeServiceUser",
  summary: "Change a service user, or give it a new owner",
  params: byUser,
  body: z.strictObject({
    owner: owner.optional(),
    role: roleSchema.optional(),
    tags: z.array(z.string()).optional(),
    status: z.enum(["active", "disabled"]).optional(),
  }),
  answer: serviceUserSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params, body: { owner, role, tags, status } }) =>
    serviceUsers.changeServiceUser(services, actor, params.user, {
      ...(owner !== undefined && { owner }),
      ...(role !== undefined && { role }),
      ...(tags !== undefined && { tags }),
      ...(status !== undefined && { status }),
    }),
});

export const createServiceToken = defineEndpoint({
  name: "createServiceToken",
  summary: "Create a token of a service user",
  description: "It opens MCP alone, and expires. It is shown only in this answer.",
  params: byUser,
  body: z.strictObject({
    name: z.string(),
    expires_in_days: days.optional(),
    bounds: tokenBoundsSchema.optional(),
  }),
  status: 201,
  answer: createdTokenSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params, body: { name, expires_in_days, bounds } }) =>
    serviceUsers.createServiceToken(services, actor, params.user, {
      name,
      ...(expires_in_days !== undefined && { expiresInDays: expires_in_days }),
      ...(bounds !== undefined && { bounds }),
    }),
});

export const listMachineClients = defineEndpoint({
  name: "listMachineClients",
  summary: "List the clients that get tokens without a browser",
  description: "Oldest first.",
  answer: z.object({ machine_clients: z.array(machineClientSchema) }),
  handle: async ({ services }) => ({ machine_clients: await clients.listMachineClients(services) }),
});

export const addMachineClient = defineEndpoint({
  name: "addMachineClient",
  summary: "Register a client that gets tokens without a browser",
  description:
    "It calls as its service user. Without one, it only brings assertions of a company's provider. Its secret is shown only in this answer.",
  body: z.strictObject({
    name: z.string(),
    service_user: serviceUser.optional(),
    auth: machineClientAuthSchema
      .optional()
      .meta({ description: "The default is `client_secret`." }),
    jwks: z.unknown().optional().meta({
      description:
        "For `private_key_jwt`: the client's public keys, as a JSON Web Key Set or one key.",
    }),
    expires_in_days: days.optional(),
    bounds: tokenBoundsSchema.optional(),
  }),
  status: 201,
  answer: createdMachineClientSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, body }) =>
    clients.addMachineClient(services, actor, {
      name: body.name,
      ...(body.service_user !== undefined && { serviceUser: body.service_user }),
      ...(body.auth !== undefined && { auth: body.auth }),
      ...(body.jwks !== undefined && { jwks: body.jwks }),
      ...(body.expires_in_days !== undefined && { expiresInDays: body.expires_in_days }),
      ...(body.bounds !== undefined && { bounds: body.bounds }),
    }),
});

export const removeMachineClient = defineEndpoint({
  name: "removeMachineClient",
  needsSpace: false,
  summary: "Delete a machine client",
  description: "Its tokens stop working at once.",
  params: byClient,
  answer: machineClientSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) =>
    clients.removeMachineClient(services, actor, params.client),
});

export const listTrustedIssuers = defineEndpoint({
  name: "listTrustedIssuers",
  summary: "List the issuers whose assertions open the hub",
  description: "Oldest first.",
  answer: z.object({ trusted_issuers: z.array(trustedIssuerSchema) }),
  handle: async ({ services }) => ({ trusted_issuers: await issuers.listTrustedIssuers(services) }),
});

export const addTrustedIssuer = defineEndpoint({
  name: "addTrustedIssuer",
  summary: "Trust an issuer",
  description:
    "A workload calls as its service user. An ID-JAG is of an existing user whom the issuer names.",
  body: z.strictObject({
    name: z.string(),
    issuer: z.string().meta({ description: "As in the member `iss` of its assertions." }),
    kind: trustedIssuerKindSchema.optional().meta({ description: "The default is `workload`." }),
    jwks_uri: z.string().optional().meta({
      description: "Where its keys are. Without it, its OpenID metadata says.",
    }),
    audience: z.string().optional().meta({
      description: "Of a workload's assertions. The default is the token endpoint.",
    }),
    conditions: z.array(claimConditionSchema).optional(),
    service_user: serviceUser.optional(),
    bounds: tokenBoundsSchema.optional(),
  }),
  status: 201,
  answer: trustedIssuerSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, body }) =>
    issuers.addTrustedIssuer(services, actor, {
      name: body.name,
      issuer: body.issuer,
      ...(body.kind !== undefined && { kind: body.kind }),
      ...(body.jwks_uri !== undefined && { jwksUri: body.jwks_uri }),
      ...(body.audience !== undefined && { audience: body.audience }),
      ...(body.conditions !== undefined && { conditions: body.conditions }),
      ...(body.service_user !== undefined && { serviceUser: body.service_user }),
      ...(body.bounds !== undefined && { bounds: body.bounds }),
    }),
});

export const removeTrustedIssuer = defineEndpoint({
  name: "removeTrustedIssuer",
  needsSpace: false,
  summary: "End the trust in an issuer",
  description: "The tokens that came of its assertions stop working at once.",
  params: byIssuer,
  answer: trustedIssuerSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) =>
    issuers.removeTrustedIssuer(services, actor, params.issuer),
});
