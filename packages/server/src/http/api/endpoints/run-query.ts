import { runSourceSchema, runStatusSchema } from "@hub/contract/run.ts";
import { z } from "zod";

/** What lists, exports and statistics of calls can be narrowed to. */
export const runFilter = z.strictObject({
  user: z.uuid().optional().meta({ description: "Id of the user who called." }),
  status: runStatusSchema.optional(),
  source: runSourceSchema.optional(),
  operation: z.string().optional().meta({ description: "Key of an operation." }),
  code: z.string().optional().meta({ description: "Code of an error, such as `upstream_error`." }),
  error: z.string().optional().meta({
    description:
      "A text in the error message or its code; ASCII letters match in both cases. Searches your own calls only, unless you are an admin.",
  }),
  cause_id: z.uuid().optional().meta({
    description:
      "Id of the call of a message or a script: only the calls that it made. Finds your own calls only, unless you are an admin.",
  }),
  from: z
    .string()
    .optional()
    .meta({ description: "Calls that started at this time or later; RFC 3339." }),
  to: z.string().optional().meta({ description: "Calls that started before this time; RFC 3339." }),
});

/** The same for one page of a list. */
export const runPageQuery = runFilter.extend({
  before: z.uuid().optional().meta({ description: "The `next` of the previous page." }),
  limit: z.coerce.number().int().min(1).max(500).optional(),
  grouped: z.stringbool().optional().meta({
    description:
      "With `true`, the calls that messages and scripts made are left out; `calls` of these has their number.",
  }),
});

export const byAnyRow = {
  row: z.uuid().optional().meta({ description: "Id of a row, also of a deleted one." }),
};

export const byAnyConnector = {
  ...byAnyRow,
  connector: z
    .string()
    .optional()
    .meta({ description: "Key of a connector: calls of its present rows." }),
};
