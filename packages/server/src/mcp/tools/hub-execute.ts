import { z } from "zod";
import { objectArgument, textListArgument } from "./argument-types.ts";
import { defineRecordingTool } from "./define-meta-tool.ts";
import { findNameConflicts, toolNameArguments, toToolName } from "./tool-name-arguments.ts";

const exampleParams = { owner: "octocat", number: 7 };

export const fieldsArgument = textListArgument(
  'Return only these parts of the result, as paths such as "total_count" or "items.*.title". Use it when you need a few members of a large result.',
  50,
);

/** What models call the arguments of a call. */
export const executeNames = {
  id: "tool_id",
  tool: "tool_id",
  name: "tool_id",
  parameters: "params",
  arguments: "params",
  args: "params",
  input: "params",
  inputs: "params",
  tool_input: "params",
  tool_args: "params",
  payload: "params",
} as const;

export const hubExecute = defineRecordingTool({
  name: "hub_execute",
  title: "Call an operation",
  description:
    "Calls one operation of a connected system and returns its result. " +
    "Find the operation with hub_search and pass params that match its signature or input_schema. " +
    "Before you call an operation that is marked destructive, ask the user to confirm. " +
    "Values prefixed hub_enc_ are valid credentials in encrypted form: pass them as they are into params, and return them unchanged; " +
    "never alter, decode, shorten or omit them. " +
    'A failure is returned as {"error", "code"}. With the code invalid_params, issues lists what to correct, by the input_schema beside it. The code not_found means that this user has no such operation: search again.',
  args: z.strictObject({
    ...toolNameArguments,
    params: objectArgument("The operation's own params, by name.", exampleParams).optional(),
    fields: fieldsArgument.optional(),
  }),
  example: { tool_id: "conn:…/get_issue", params: exampleParams },
  requiresOne: ["tool_id", "row"],
  findConflicts: findNameConflicts,
  otherNames: executeNames,
  ofOtherTools: {
    calls: "hub_read takes calls, of operations that only read. Call others one by one.",
  },
  // Models write the inputs of an operation beside its tool_id.
  othersBelongTo: "params",
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  call: ({ operations }, ctx, { params = {}, fields, ...name }) =>
    operations.calls.call(ctx, { ...toToolName(name), params, fields }),
});
