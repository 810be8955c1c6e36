import type { Issue } from "@hub/connector";
import { z } from "zod";
import type { Params } from "../frames/frame.ts";
import { booleanArgument, objectArgument } from "./argument-types.ts";
import { callsArgument, toBatchCalls } from "./calls-argument.ts";
import { defineRecordingTool } from "./define-meta-tool.ts";
import { executeNames, fieldsArgument } from "./hub-execute.ts";
import { findNameConflicts, toolNameArguments, toToolName } from "./tool-name-arguments.ts";

const exampleParams = { owner: "octocat", number: 7 };

export const hubRead = defineRecordingTool({
  name: "hub_read",
  title: "Read with an operation",
  description:
    "Calls one operation that only reads, marked reads: true, and returns its result as hub_execute does; or many at " +
    "once with calls, which is faster than one message for each. If you need only a little of many results, call read_script with it. " +
    "Prefer it to hub_execute for reading, because the user can allow it once for all reads. " +
    "Any other operation is refused with the code destructive_operation: call that one with hub_execute.",
  args: z.strictObject({
    ...toolNameArguments,
    params: objectArgument("The operation's own params, by name.", exampleParams).optional(),
    fields: fieldsArgument.optional(),
    calls: callsArgument.optional(),
    ordered: booleanArgument("With calls: one after the other. Default: five at once.").optional(),
    stop_on_error: booleanArgument(
      "With calls: after one that fails, begin no further one.",
    ).optional(),
  }),
  example: { tool_id: "conn:…/get_issue", params: exampleParams },
  requiresOne: ["tool_id", "row", "calls"],
  findConflicts,
  otherNames: {
    ...executeNames,
    tool_calls: "calls",
    requests: "calls",
    reads: "calls",
    operations: "calls",
    batch: "calls",
    items: "calls",
    sequential: "ordered",
    fail_fast: "stop_on_error",
    stop_on_failure: "stop_on_error",
  },
  othersBelongTo: "params",
  annotations: { readOnlyHint: true, openWorldHint: true },
  call: ({ operations }, ctx, { params = {}, fields, calls, ordered, stop_on_error, ...name }) =>
    calls === undefined
      ? operations.calls.call(ctx, { ...toToolName(name), params, fields, readsOnly: true })
      : operations.batches.read(ctx, {
          calls: toBatchCalls(calls),
          ordered,
          stopOnError: stop_on_error,
        }),
});

/** The arguments of one call have no meaning beside a list of calls. */
function findConflicts(args: Params): Issue[] {
  if (args.calls === undefined) return findNameConflicts(args);
  const names = ["tool_id", "row", "operation", "params", "fields"].filter(
    (name) => args[name] !== undefined,
  );
  return names.map((name) => ({
    path: name,
    message: `"${name}" belongs into each of "calls". Send either "calls" or one call, not both.`,
  }));
}
