import { z } from "zod";
import { objectArgument } from "./argument-types.ts";
import { defineRecordingTool } from "./define-meta-tool.ts";
import { executeNames, fieldsArgument } from "./hub-execute.ts";
import { findNameConflicts, toolNameArguments, toToolName } from "./tool-name-arguments.ts";

const exampleParams = { owner: "octocat", number: 7 };

export const hubRead = defineRecordingTool({
  name: "hub_read",
  title: "Read with an operation",
  description:
    "Calls one operation that only reads, marked reads: true, and returns its result as hub_execute does. " +
    "Prefer it to hub_execute for reading, because the user can allow it once for all reads. " +
    "Any other operation is refused with the code destructive_operation: call that one with hub_execute.",
  args: z.strictObject({
    ...toolNameArguments,
    params: objectArgument("The operation's own params, by name.", exampleParams).optional(),
    fields: fieldsArgument.optional(),
  }),
  example: { tool_id: "conn:…/get_issue", params: exampleParams },
  requiresOne: ["tool_id", "row"],
  findConflicts: findNameConflicts,
  otherNames: executeNames,
  othersBelongTo: "params",
  annotations: { readOnlyHint: true, openWorldHint: true },
  call: ({ operations }, ctx, { params = {}, fields, ...name }) =>
    operations.calls.call(ctx, { ...toToolName(name), params, fields, readsOnly: true }),
});
