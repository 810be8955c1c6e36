import { isJsonObject } from "@hub/connector";
import { z } from "zod";
import { createJsonInTextReader } from "../../../lib/json/json-in-text.ts";
import { fieldsArgument } from "../../../mcp/tools/call-arguments.ts";
import { callsMax, readTexts } from "../../../mcp/tools/calls-argument.ts";
import type { ProgressReport } from "../../../operations/operations.ts";
import { tryOutSeveral } from "../../../services/callable/try-out.ts";
import { defineProgressEndpoint } from "../progress-endpoint.ts";
import { testParamsSchema, toolIdCharsMax, toTryContext } from "./check-tested.ts";

const callsSchema = z
  .array(
    z.strictObject({
      tool_id: z.string().max(toolIdCharsMax),
      params: testParamsSchema,
      fields: fieldsArgument.optional(),
    }),
  )
  .min(1, { error: "must have at least one call." })
  .max(callsMax, { error: `must have at most ${callsMax} calls.` });

const resultSchema = z.looseObject({
  tool_id: z.string(),
  status: z.enum(["success", "error", "denied", "cancelled", "not_run"]),
  result: z.unknown().optional().meta({ description: "Of a call that succeeded, sealed." }),
  error: z.string().optional(),
  code: z.string().optional(),
});

export const tryOperations = defineProgressEndpoint({
  name: "tryOperations",
  cancels: true,
  summary: "Make several calls that read in one message, as a client does",
  description:
    "Takes the way of `hub_read` with `calls`: the same checks, limits, masks and answer for each call, also for admins. A call that fails or is refused is a result with its `error` and `code`. The calls and their message are recorded with the source `test`. The rows must let you test them. All end if you disconnect. A client that accepts `text/event-stream` gets the number of ended calls.",
  body: z.strictObject({
    calls: z.preprocess(readAllTexts, callsSchema).meta({ description: `1 to ${callsMax} calls.` }),
    ordered: z.boolean().optional().meta({
      description: "One call begins after the other has ended. The default is five at once.",
    }),
    stop_on_error: z.boolean().optional().meta({
      description: "After a call that does not succeed, no further one begins.",
    }),
  }),
  answer: z
    .object({
      results: z.array(resultSchema).meta({ description: "In the order of the calls." }),
      run_id: z.uuid().meta({
        description: "Id of the recorded message. List its calls with `cause_id`.",
      }),
    })
    .meta({ id: "TriedCalls" }),
  failures: ["rate_limited"],
  async handle(call, onProgress: (progress: ProgressReport) => void) {
    const { services, body } = call;
    const ctx = toTryContext(call, onProgress);
    const { value, runId } = await tryOutSeveral(services, ctx, {
      calls: body.calls.map(({ tool_id: toolId, params, fields }) => {
        return { toolId, params, fields };
      }),
      ordered: body.ordered,
      stopOnError: body.stop_on_error,
    });
    return { results: Object(value).results, run_id: runId };
  },
});

/** As in a message of a client, all JSON texts together have the limits of one. */
function readAllTexts(given: unknown, ctx: z.RefinementCtx): unknown {
  if (!Array.isArray(given) || given.length > callsMax) return given;
  const texts = createJsonInTextReader();
  return given.map((call, index) => {
    const read = isJsonObject(call) ? readTexts(texts, call) : { call };
    if ("call" in read) return read.call;
    ctx.addIssue({ code: "custom", path: [index, read.path], message: read.problem });
    return call;
  });
}
