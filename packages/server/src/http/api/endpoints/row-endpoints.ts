import {
  rowAccessSchema,
  rowDetailSchema,
  rowTestsSchema,
  rowViewSchema,
} from "@hub/contract/row.ts";
import { rowSettingsSchema } from "@hub/contract/row-settings.ts";
import { z } from "zod";
import { sealExposedSecrets } from "../../../services/rows/checks/seal-exposed-secrets.ts";
import * as rows from "../../../services/rows/manage-rows.ts";
import { makeSampleRow as makeSample } from "../../../services/rows/sample-row.ts";
import { setRow } from "../../../services/rows/set-row.ts";
import * as visibleRows from "../../../services/rows/views/visible-rows.ts";
import { defineEndpoint } from "../endpoint.ts";
import { byRow } from "./path-params.ts";

const valuesSchema = z.record(z.string(), z.unknown()).meta({
  description:
    "Values by field key, as text or, for numbers, booleans and lists, as JSON values. An empty text unsets a field, also a secret.",
});
const versionSchema = z.int().meta({
  description: "The version that was read. If the row has changed since: 409 `conflict`.",
});

export const addRow = defineEndpoint({
  name: "addRow",
  summary: "Create a row of a connector",
  description: "Required values may be missing; `missing` names them.",
  body: z.strictObject({
    connector: z.string(),
    label: z.string(),
    description: z.string().optional(),
    tags: z.array(z.string()).optional(),
    tests: rowTestsSchema.optional().meta({ description: "The default is `admins`." }),
    access: rowAccessSchema.optional().meta({ description: "The default is `shared`." }),
    values: valuesSchema.optional(),
  }),
  status: 201,
  answer: rowDetailSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, body }) => rows.addRow(services, actor, body),
});

export const makeSampleRow = defineEndpoint({
  name: "makeSampleRow",
  summary: "Make a row to try",
  description:
    "It reads the health of this hub, so it needs no account elsewhere. Only admins see it. If it exists, it stays as it is and is the answer.",
  answer: rowDetailSchema,
  handle: ({ services, actor, localUrl }) => makeSample(services, actor, localUrl),
});

export const showRow = defineEndpoint({
  name: "showRow",
  summary: "Show a row with its operations",
  params: byRow,
  query: z.strictObject({
    operations: z.enum(["all", "none"]).default("all").meta({
      description: "With `none`, the list is empty. Read it in pages, for rows with thousands.",
    }),
  }),
  answer: rowViewSchema,
  failures: ["not_found"],
  handle: ({ services, caller, params, query }) =>
    visibleRows.viewRow(services, caller, params.row, {
      withOperations: query.operations === "all",
    }),
});

export const changeRow = defineEndpoint({
  name: "changeRow",
  summary: "Change a row's label, description, tags, tests or values",
  description: "Members and values that are not sent stay as they are.",
  params: byRow,
  body: z.strictObject({
    version: versionSchema,
    label: z.string().optional(),
    description: z.string().optional(),
    tags: z.array(z.string()).optional(),
    tests: rowTestsSchema.optional(),
    access: rowAccessSchema.optional(),
    values: valuesSchema.optional(),
  }),
  answer: rowDetailSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params, body }) => setRow(services, actor, params.row, body),
});

export const deleteRow = defineEndpoint({
  name: "deleteRow",
  summary: "Delete a row",
  description: "Its recorded calls stay until they are purged.",
  params: byRow,
  answer: z.object({ id: z.uuid(), label: z.string() }),
  failures: ["not_found"],
  handle: ({ services, actor, params }) => rows.deleteRow(services, actor, params.row),
});

export const enableRow = defineEndpoint({
  name: "enableRow",
  summary: "Enable a row",
  params: byRow,
  answer: rowDetailSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) => rows.enableRow(services, actor, params.row),
});

export const disableRow = defineEndpoint({
  name: "disableRow",
  needsSpace: false,
  summary: "Disable a row",
  params: byRow,
  answer: rowDetailSchema,
  failures: ["not_found"],
  handle: ({ services, actor, params }) => rows.disableRow(services, actor, params.row),
});

export const duplicateRow = defineEndpoint({
  name: "duplicateRow",
  summary: "Copy a row with its configuration, but without its secrets",
  description: "The copy is disabled, and its secrets must be set.",
  params: byRow,
  body: z.strictObject({ label: z.string().optional() }),
  status: 201,
  answer: rowDetailSchema,
  failures: ["not_found", "conflict"],
  handle: ({ services, actor, params, body }) =>
    rows.duplicateRow(services, actor, params.row, body),
});

export const showRowSettings = defineEndpoint({
  name: "showRowSettings",
  summary: "Show a row's settings as cards of fields",
  description: "For secrets it shows only whether they are set.",
  params: byRow,
  answer: rowSettingsSchema,
  failures: ["not_found"],
  handle: ({ services, params }) => rows.showRowSettings(services, params.row),
});

export const saveRowSettings = defineEndpoint({
  name: "saveRowSettings",
  summary: "Save several fields",
  description:
    "Answers with the settings as they are then. Values that are not sent stay as they are.",
  params: byRow,
  body: z.strictObject({ values: valuesSchema, version: versionSchema }),
  answer: rowSettingsSchema,
  failures: ["bad_request", "not_found", "conflict"],
  async handle({ services, actor, params: { row }, body: { values, version } }) {
    await setRow(services, actor, row, { values, version });
    return await rows.showRowSettings(services, row);
  },
});

export const saveRowField = defineEndpoint({
  name: "saveRowField",
  summary: "Save one field",
  description: "For pages that save while the user types. An empty text unsets the field.",
  params: byRow.extend({ field: z.string() }),
  body: z.strictObject({ value: z.unknown(), version: versionSchema }),
  answer: rowSettingsSchema,
  failures: ["not_found", "conflict"],
  async handle({ services, actor, params: { row, field }, body: { value, version } }) {
    await setRow(services, actor, row, { values: { [field]: value }, version });
    return await rows.showRowSettings(services, row);
  },
});

export const generateRowField = defineEndpoint({
  name: "generateRowField",
  summary: "Generate a new value for a field that supports it",
  params: byRow.extend({ field: z.string() }),
  body: z.strictObject({ version: versionSchema }),
  answer: rowSettingsSchema,
  failures: ["not_found", "conflict"],
  async handle({ services, actor, params: { row, field }, body: { version } }) {
    await setRow(services, actor, row, { regenerate: [field], version });
    return await rows.showRowSettings(services, row);
  },
});

export const sealRowSecrets = defineEndpoint({
  name: "sealRowSecrets",
  summary: "Seal likely secrets that a row has in plain text",
  description:
    "Moves the secrets that `exposed` of the settings names into the row's field `secrets`, and puts their names in their place.",
  params: byRow,
  body: z.strictObject({ version: versionSchema }),
  answer: rowSettingsSchema,
  failures: ["bad_request", "not_found", "conflict"],
  handle: ({ services, actor, params, body }) =>
    sealExposedSecrets(services, actor, params.row, body),
});
