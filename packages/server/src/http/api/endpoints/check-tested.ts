import { z } from "zod";
import { readObjectOrText } from "../../../lib/json/json-in-text.ts";
import { largeBytes } from "../../../lib/time/yield-to-event-loop.ts";
import { paramsDepth } from "../../../operations/calls/fit-params.ts";
import type { ProgressReport } from "../../../operations/operations.ts";
import type { ApiRequest } from "../api-request.ts";

/** The result of a run that was started over the API. */
export const testedSchema = z.object({
  result: z.unknown().meta({ description: "The operation's result, sealed." }),
  run_id: z.uuid().meta({ description: "Id of the recorded call." }),
});

/** Longer than any tool id. */
export const toolIdCharsMax = 120;

/** The params of a call. As at the MCP endpoint, they may be the JSON text of an object. */
export const testParamsSchema = z
  .preprocess(readTestParams, z.record(z.string(), z.unknown()))
  .meta({ type: "object", additionalProperties: {} })
  .default({});

function readTestParams(given: unknown, ctx: z.RefinementCtx): unknown {
  const read = readObjectOrText(given, paramsDepth);
  if ("value" in read) return read.value;
  ctx.addIssue({ code: "custom", message: read.problem });
  return z.NEVER;
}

/** The failures of a call. */
export const callFailures = [
  "not_found",
  "needs_setup",
  "connector_disabled",
  "operation_disabled",
  "invalid_params",
  "token_invalid",
  "rate_limited",
  "timeout",
  "upstream_error",
  "plugin_unavailable",
] as const;

type Asked = Pick<ApiRequest, "caller" | "signal" | "ip" | "userAgent">;

/** The context of a call on the test path. */
export function toTestContext({ caller, signal, ip, userAgent }: Asked) {
  return { caller, signal, ip, userAgent };
}

/** The same of a call as clients make it, with its progress and what its request holds. */
export function toTryContext(
  call: Asked & { bodyChars: number },
  onProgress: (progress: ProgressReport) => void,
) {
  const largeChars = call.bodyChars > largeBytes ? call.bodyChars : 0;
  return { ...toTestContext(call), onProgress, largeChars };
}
