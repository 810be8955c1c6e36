import { HubError } from "../errors.ts";
import type { ScriptFailure } from "./question-frames.ts";
import type { QuestionCounts } from "./script-questions.ts";

type Limits = { timeoutMs: number; computeMs: number };

/** Why a script failed. If it met a limit, the message says how many calls and searches it had begun, and how many had ended. */
export function toScriptError(
  failure: ScriptFailure | { kind: "killed"; reason: "timeout" | "memory" | "computing" },
  counts: QuestionCounts,
  limits: Limits,
): HubError {
  if (failure.kind === "killed") return toLimitError(failure.reason, counts, limits);
  const { reason, message, line, members } = failure;
  const suffix = line === null ? "" : ` on line ${line}`;
  const refuse = (text: string, more: Record<string, unknown> = {}) =>
    new HubError("code_failed", text, { detail: { ...(line !== null && { line }), ...more } });
  switch (reason) {
    case "syntax":
      return refuse(`The script has an error${suffix}: ${message}. None of it has run.`);
    case "threw": {
      const hasMembers = members !== undefined && Object.keys(members).length > 0;
      return refuse(`The script threw${suffix}: ${message}`, hasMembers ? { thrown: members } : {});
    }
    case "output":
      return refuse(
        `The script returned a value that JSON cannot have: ${message}. Return plain data.`,
      );
    case "too_large":
      return refuse("The script returned more than 1 MiB of JSON. Return less.");
    case "pending":
      return refuse(
        "The script waits for a promise that never settles. There are no timers in a script: await call(…) and search(…) only.",
      );
    default:
      return toLimitError(reason, counts, limits);
  }
}

function toLimitError(
  reason: "timeout" | "memory" | "computing",
  counts: QuestionCounts,
  { timeoutMs, computeMs }: Limits,
): HubError {
  const done = describeCounts(counts);
  const seconds = (ms: number) => `${(ms / 1000).toLocaleString("en")} s`;
  switch (reason) {
    case "memory":
      return new HubError(
        "code_failed",
        `The script needs more than 64 MiB of memory. ${done} Work on less data at a time.`,
      );
    case "computing":
      return new HubError(
        "timeout",
        `The script computed for more than ${seconds(computeMs)}, apart from waiting for calls. ${done} Compute less in one script.`,
      );
    case "timeout":
      return new HubError(
        "timeout",
        `The script did not end within ${seconds(timeoutMs)}, with its waiting for calls. ${done} Do less in one script, or raise timeout_s.`,
      );
  }
}

function describeCounts({ begun, ended }: QuestionCounts): string {
  if (begun === 0) return "It had begun no call.";
  return `It had begun ${begun} ${begun === 1 ? "call or search" : "calls and searches"}, of which ${ended} had ended.`;
}
