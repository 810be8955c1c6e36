import { createdScimClientSchema, scimClientSchema } from "@hub/contract/scim-client.ts";
import { z } from "zod";
import { giveUser, releaseUser } from "../../../services/scim/give-user.ts";
import * as clients from "../../../services/scim/manage-scim-clients.ts";
import { defineEndpoint } from "../endpoint.ts";
import { byUser } from "./path-params.ts";

const byClient = z.object({ client: z.uuid().meta({ description: "Id of a SCIM client." }) });
const days = z
  .int()
  .optional()
  .meta({ description: "Of the token, 1 to 730. The default is 365." });
const givenSchema = z.object({ id: z.uuid(), email: z.string() });

export const listScimClients = defineEndpoint({
  name: "listScimClients",
  summary: "List the SCIM clients",
  description: "Programs of identity providers that make, change and disable users.",
  answer: z.object({
    clients: z.array(scimClientSchema),
    address: z.string().meta({ description: "The address of SCIM, for the provider." }),
  }),
  handle: async ({ services, baseUrl }) => ({
    clients: await clients.listScimClients(services),
    address: `${baseUrl}/scim/v2`,
  }),
});

export const createScimClient = defineEndpoint({
  name: "createScimClient",
  summary: "Make a SCIM client",
  description: "The token is shown only in this answer. Only for signed-in browsers.",
  body: z.strictObject({
    name: z.string(),
    issuer: z.string().optional().meta({
      description: "The single sign-on issuer whose users it may change.",
    }),
    addresses: z.array(z.string()).optional(),
    expires_in_days: days,
  }),
  status: 201,
  answer: createdScimClientSchema,
  failures: ["conflict"],
  handle: ({ services, actor, body: { expires_in_days: expiresInDays, ...body } }) =>
    clients.createScimClient(services, actor, { ...body, expiresInDays }),
});

export const rotateScimToken = defineEndpoint({
  name: "rotateScimToken",
  summary: "Give a SCIM client another token",
  description: "The earlier one ends. The token is shown only in this answer.",
  params: byClient,
  body: z.strictObject({ expires_in_days: days }),
  answer: createdScimClientSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params, body: { expires_in_days: expiresInDays } }) =>
    clients.rotateScimToken(services, actor, params.client, { expiresInDays }),
});

export const removeScimClient = defineEndpoint({
  name: "removeScimClient",
  summary: "Remove a SCIM client",
  description: "Its users stay, and its groups give them nothing any more.",
  params: byClient,
  answer: scimClientSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) => clients.removeScimClient(services, actor, params.client),
});

export const giveUserToScim = defineEndpoint({
  name: "giveUserToScim",
  summary: "Give a user to a SCIM client",
  description: "The client changes and disables the user from then on. The user has no password.",
  params: byUser,
  body: z.strictObject({ client: z.uuid() }),
  answer: givenSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params, body }) =>
    giveUser(services, actor, { clientId: body.client, userId: params.user }),
});

export const releaseUserFromScim = defineEndpoint({
  name: "releaseUserFromScim",
  needsSpace: false,
  summary: "Take a user from its SCIM client",
  description: "What the client's groups gave goes. The user stays.",
  params: byUser,
  answer: givenSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params }) => releaseUser(services, actor, params.user),
});
