import { endSentence } from "@hub/connector";
import { HubError } from "../errors.ts";
import type { ScriptEnd } from "../sandbox/script-sandbox.ts";
import type { MadeCall } from "./create-answers.ts";
import { listedCallsMax } from "./script-limits.ts";

type Failed = Extract<ScriptEnd, { kind: "failed" }>;

/** The error of a script that failed or met a limit, with what it had called before. */
export function toScriptFailure({ error, logs }: Failed, calls: readonly MadeCall[]): HubError {
  const { message, cause, detail } = error;
  // Not the code `timeout`: a slow script says nothing about whether the row of the hub works.
  const code = error.code === "timeout" ? "code_failed" : error.code;
  return new HubError(code, `${endSentence(message)}${describe(calls)}`, {
    detail: { ...detail, ...listCalls(calls), ...(logs.length > 0 && { logs }) },
    cause,
  });
}

/** The error of a script whose process ended. What it has done is known, and it is not run again. */
export function toBroken(calls: readonly MadeCall[]): HubError {
  const advice =
    calls.length === 0
      ? " It had called nothing, so it can be run again."
      : `${describe(calls)} Look at what they did before you run it again.`;
  return new HubError(
    "code_failed",
    `The process of the script ended before the script.${advice}`,
    {
      detail: listCalls(calls),
    },
  );
}

/** The error of a script that has called a tool which its caller may no longer see. */
export function toLost(): HubError {
  return new HubError(
    "not_found",
    "You may no longer use a tool that the script called, so what it answers is not sent. Its calls are recorded.",
  );
}

function describe(calls: readonly MadeCall[]): string {
  if (calls.length === 0) return "";
  const succeeded = calls.filter(({ status }) => status === "success").length;
  return ` Of its ${calls.length} call${calls.length === 1 ? "" : "s"}, ${succeeded} succeeded: calls says how each ended.`;
}

/** The last calls, because the earlier ones are in the record. */
function listCalls(calls: readonly MadeCall[]): { calls?: MadeCall[]; calls_total?: number } {
  if (calls.length === 0) return {};
  const listed = calls.slice(-listedCallsMax);
  return {
    calls: listed.map((call) => ({ ...call, tool_id: call.tool_id.slice(0, 150) })),
    calls_total: calls.length,
  };
}
