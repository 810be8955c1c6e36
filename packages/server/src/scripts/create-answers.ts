import { toJsonText } from "@hub/connector";
import { type HubError, toHubError } from "../errors.ts";
import { createInnerCalls, type InnerAnswer } from "../operations/batches/inner-calls.ts";
import { toToolId } from "../operations/catalogue/tool-id.ts";
import type { CallContext, ExecuteRequest } from "../operations/operations.ts";
import type { CallRecords, Calls, ToolCatalogue } from "../operations/ports.ts";
import type { SandboxScript, ScriptReply } from "../sandbox/script-sandbox.ts";
import { createSearch } from "./create-search.ts";
import { readCall, readQuery } from "./read-question.ts";

export type AnswerDeps = {
  calls: Pick<Calls, "call">;
  catalogue: Pick<ToolCatalogue, "search">;
  records: Pick<CallRecords, "record">;
};

/** A call that a script has begun. */
export type MadeCall = {
  /** Whole; before the operation is found and admitted, what the script sent. */
  tool_id: string;
  status: "running" | InnerAnswer["status"];
  run_id: string | null;
};

type AnswerOptions = {
  /** The record of the script's own call. */
  runId: string;
  readsOnly: boolean;
  /** How many running calls the user may have; 0 is no limit. */
  callsAtOnce: number;
  /** A call has ended. */
  reportCall(): void;
};

/** Answers what one script asks, as the caller of the script's own call. */
export function createAnswers(
  deps: AnswerDeps,
  ctx: CallContext,
  { runId, readsOnly, callsAtOnce, reportCall }: AnswerOptions,
): Pick<SandboxScript, "answer"> & { listCalls(): MadeCall[] } {
  const cause = { kind: "script", id: runId } as const;
  const made = new Map<ExecuteRequest, MadeCall>();
  const inner = createInnerCalls(
    {
      calls: deps.calls,
      ...(callsAtOnce > 0 && { atOnce: callsAtOnce }),
      // The script may have sent the beginning of an id.
      onTarget(request, { row, operation }) {
        const entry = made.get(request);
        if (entry !== undefined) entry.tool_id = toToolId(row.id, operation.key);
      },
    },
    ctx,
    cause,
  );
  const search = createSearch(deps, { ...ctx, cause });

  async function call(request: ExecuteRequest, signal: AbortSignal): Promise<string> {
    const entry: MadeCall = { tool_id: request.toolId, status: "running", run_id: null };
    made.set(request, entry);
    const answer = await inner.call(request, signal);
    entry.status = answer.status;
    if (answer.status !== "not_run") entry.run_id = answer.runId ?? null;
    reportCall();
    if (answer.status !== "success") throw answer.error;
    return answer.text;
  }

  return {
    async answer(question, signal): Promise<ScriptReply> {
      try {
        const text =
          question.kind === "call"
            ? await call({ ...readCall(question), readsOnly }, signal)
            : await search(readQuery(question), signal);
        return { kind: "value", text };
      } catch (thrown) {
        return { kind: "error", text: toErrorText(toHubError(thrown)) };
      }
    },
    listCalls: () => [...made.values()].filter(({ status }) => status !== "not_run"),
  };
}

/** What clients get of a failed call: the members of its details beside the code. */
function toErrorText({ code, message, detail }: HubError): string {
  return toJsonText({ ...detail, message, code });
}
