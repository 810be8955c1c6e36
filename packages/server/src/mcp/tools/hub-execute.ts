import { z } from "zod";
import {
  callAdvice,
  callArguments,
  exampleCall,
  findCallConflicts,
  toCallRequest,
} from "./call-arguments.ts";
import { defineRecordingTool } from "./define-meta-tool.ts";

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
  args: z.strictObject(callArguments),
  example: exampleCall,
  requiresOne: ["tool_id", "row", "pending_id"],
  findConflicts: findCallConflicts,
  ...callAdvice,
  ofOtherTools: {
    calls: "hub_read takes calls, of operations that only read. Call others one by one.",
  },
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  call: ({ operations }, ctx, args) => operations.calls.call(ctx, toCallRequest(args)),
});
