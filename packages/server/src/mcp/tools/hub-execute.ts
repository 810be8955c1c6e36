import { z } from "zod";
import { objectArgument, toolIdArgument } from "./argument-types.ts";
import { defineRecordingTool } from "./define-meta-tool.ts";

export const hubExecute = defineRecordingTool({
  name: "hub_execute",
  title: "Run an operation",
  description:
    "Runs one operation of a connected system and returns its result. " +
    "Find the operation with hub_search and give params that fit its input_schema. " +
    "Before you run an operation that is marked destructive, ask the user to confirm. " +
    "Values prefixed hub_enc_ are valid credentials in encrypted form: pass them as they are into params, and return them unchanged; " +
    "never alter, decode, shorten or omit them. " +
    'A failure comes back as {"error", "code"}: code invalid_params lists what to correct in issues; not_found means that there is no such operation for this user, so search again.',
  args: z.strictObject({
    tool_id: toolIdArgument,
    params: objectArgument(
      "The operation's own params, by the names in its input_schema.",
    ).optional(),
  }),
  annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  call: ({ operations }, ctx, { tool_id: toolId, params = {} }) =>
    operations.execute(ctx, { toolId, params }),
});
