import type { Issue } from "@hub/connector";
import { z } from "zod";
import type { Params } from "../frames/frame.ts";
import { booleanArgument } from "./argument-types.ts";
import {
  callAdvice,
  callArguments,
  exampleCall,
  findCallConflicts,
  toCallRequest,
} from "./call-arguments.ts";
import { callsArgument } from "./calls-argument.ts";
import { defineRecordingTool } from "./define-meta-tool.ts";

export const hubRead = defineRecordingTool({
  name: "hub_read",
  title: "Read with an operation",
  description:
    "Calls one operation that only reads, marked reads: true, and returns its result as hub_execute does; or many at " +
    "once with calls, which is faster than one message for each. If you need only a little of many results, call read_script with it. " +
    "Prefer it to hub_execute for reading, because the user can allow it once for all reads. " +
    "Any other operation is refused with the code destructive_operation: call that one with hub_execute.",
  args: z.strictObject({
    ...callArguments,
    calls: callsArgument.optional(),
    ordered: booleanArgument("With calls: one after the other. Default: five at once.").optional(),
    stop_on_error: booleanArgument(
      "With calls: after one that fails, begin no further one.",
    ).optional(),
  }),
  example: exampleCall,
  requiresOne: ["tool_id", "row", "calls", "pending_id"],
  findConflicts,
  ...callAdvice,
  otherNames: {
    ...callAdvice.otherNames,
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
  annotations: { readOnlyHint: true, openWorldHint: true },
  call: ({ operations }, ctx, { calls, ordered, stop_on_error: stopOnError, ...one }) =>
    calls === undefined
      ? operations.calls.call(ctx, { ...toCallRequest(one), readsOnly: true })
      : operations.batches.read(ctx, { calls, ordered, stopOnError }),
});

/** The arguments of one call have no meaning beside a list of calls. */
function findConflicts(args: Params): Issue[] {
  if (args.calls === undefined) return findCallConflicts(args);
  const names = Object.keys(callArguments).filter((name) => args[name] !== undefined);
  return names.map((name) => ({
    path: name,
    message: `"${name}" belongs into each of "calls". Send either "calls" or one call, not both.`,
  }));
}
