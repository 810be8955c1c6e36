import { rowDetailSchema } from "@hub/contract/row.ts";
import {
  referenceInputSchema,
  secretDestinationSchema,
  secretReadSchema,
  secretReferenceSchema,
  secretSourceSchema,
  sourceInputSchema,
} from "@hub/contract/secret-source.ts";
import { z } from "zod";
import { listRowDestinations } from "../../../services/secret-sources/confirm-rows.ts";
import { listUsable } from "../../../services/secret-sources/list-usable.ts";
import * as references from "../../../services/secret-sources/manage-references.ts";
import * as sources from "../../../services/secret-sources/manage-sources.ts";
import { nameInRow } from "../../../services/secret-sources/name-in-row.ts";
import { defineEndpoint } from "../endpoint.ts";
import { idsQuery, toIds } from "./page-query.ts";
import { byRow } from "./path-params.ts";

const bySource = z.object({
  source: z.uuid().meta({ description: "Id of a secret manager." }),
});
const byReference = z.object({
  reference: z.uuid().meta({ description: "Id of a reference to a secret." }),
});
const named = z.object({ id: z.uuid(), name: z.string() });

export const listSecretSources = defineEndpoint({
  name: "listSecretSources",
  summary: "List the secret managers",
  description: "By name. Without their credentials.",
  answer: z.object({ sources: z.array(secretSourceSchema) }),
  handle: async ({ services }) => ({ sources: await sources.listSources(services) }),
});

export const addSecretSource = defineEndpoint({
  name: "addSecretSource",
  summary: "Add a secret manager",
  description: "Nothing is read from it before a reference is used.",
  body: sourceInputSchema,
  answer: secretSourceSchema,
  failures: ["bad_request", "conflict"],
  handle: ({ services, actor, body }) => sources.addSource(services, actor, body),
});

export const setSecretSource = defineEndpoint({
  name: "setSecretSource",
  summary: "Change a secret manager",
  description:
    "Credentials that are left out stay, if the settings do. All values that were read from it are dropped.",
  params: bySource,
  body: sourceInputSchema,
  answer: secretSourceSchema,
  failures: ["bad_request", "not_found", "conflict"],
  handle: ({ services, actor, params, body }) =>
    sources.setSource(services, actor, params.source, body),
});

export const deleteSecretSource = defineEndpoint({
  name: "deleteSecretSource",
  summary: "Remove a secret manager",
  description: "Only one without references.",
  params: bySource,
  answer: named,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params }) => sources.deleteSource(services, actor, params.source),
});

export const listSecretReferences = defineEndpoint({
  name: "listSecretReferences",
  summary: "List the references to secrets in secret managers",
  description: "By name, with the rows and workflows that use them.",
  answer: z.object({ references: z.array(secretReferenceSchema) }),
  handle: async ({ services }) => ({ references: await references.listReferences(services) }),
});

export const listSecretDestinations = defineEndpoint({
  name: "listSecretDestinations",
  summary: "List where rows would send a secret",
  description:
    "Rows that are gone are left out. A reference takes these addresses as `confirm_rows`.",
  query: z.strictObject({ ids: idsQuery }),
  answer: z.object({ destinations: z.array(secretDestinationSchema) }),
  handle: async ({ services, query }) => ({
    destinations: await listRowDestinations(services, toIds(query.ids) ?? []),
  }),
});

export const addSecretReference = defineEndpoint({
  name: "addSecretReference",
  summary: "Add a reference to a secret",
  description:
    "Rows and workflows name it. It is sent to no other rows and hosts than those of the reference.",
  body: referenceInputSchema,
  answer: secretReferenceSchema,
  failures: ["bad_request", "not_found", "conflict"],
  handle: ({ services, actor, body }) => references.addReference(services, actor, body),
});

export const setSecretReference = defineEndpoint({
  name: "setSecretReference",
  summary: "Change a reference to a secret",
  params: byReference,
  body: referenceInputSchema,
  answer: secretReferenceSchema,
  failures: ["bad_request", "not_found", "conflict"],
  handle: ({ services, actor, params, body }) =>
    references.setReference(services, actor, params.reference, body),
});

export const deleteSecretReference = defineEndpoint({
  name: "deleteSecretReference",
  summary: "Remove a reference to a secret",
  description: "Rows and workflows that name it need another value then.",
  params: byReference,
  answer: named,
  failures: ["not_found"],
  handle: ({ services, actor, params }) =>
    references.deleteReference(services, actor, params.reference),
});

export const refreshSecretReference = defineEndpoint({
  name: "refreshSecretReference",
  summary: "Read a secret now",
  description: "On this server, so that a rotated one counts at once. The answer has no value.",
  params: byReference,
  answer: secretReadSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) =>
    references.refreshReference(services, actor, params.reference),
});

export const listSecretReads = defineEndpoint({
  name: "listSecretReads",
  summary: "List the last reads of a secret",
  description: "The newest first, without values.",
  params: byReference,
  answer: z.object({ reads: z.array(secretReadSchema) }),
  failures: ["not_found"],
  handle: async ({ services, params }) => ({
    reads: await references.listReads(services, params.reference),
  }),
});

export const listUsableSecretReferences = defineEndpoint({
  name: "listUsableSecretReferences",
  summary: "List the references that you may name in secrets of your workflows",
  description: "Their names only, by name.",
  answer: z.object({ references: z.array(named) }),
  handle: async ({ services, caller }) => ({ references: await listUsable(services, caller) }),
});

export const nameRowSecret = defineEndpoint({
  name: "nameRowSecret",
  summary: "Take a secret field of a row from a secret manager",
  params: byRow.extend({ field: z.string().meta({ description: "Key of a secret field." }) }),
  body: z.strictObject({
    reference: z.string().max(100).meta({ description: "Id or name of a reference." }),
  }),
  answer: rowDetailSchema,
  failures: ["bad_request", "not_found", "needs_setup"],
  handle: ({ services, actor, params, body }) =>
    nameInRow(services, actor, params.row, { field: params.field, reference: body.reference }),
});
