import { toJsonText } from "@hub/connector";
import { type HubError, toHubError } from "../errors.ts";
import { createFairQueue } from "../lib/queues/fair-queue.ts";
import type { Admitted, ToolCall } from "../operations/admission/call.ts";
import {
  createInnerCalls,
  type InnerAnswer,
  limitAtOnce,
} from "../operations/batches/inner-calls.ts";
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
  /** Logs why a call or search failed before it had a record. */
  logFailure(err: unknown): void;
};

/** A call that a script has begun. */
export type MadeCall = {
  /** The whole id. What the script sent, until its caller is known to see a tool of this name. */
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

type Answers = Pick<SandboxScript, "answer"> & {
  /** Those that have begun, in their order. */
  listCalls(): MadeCall[];
  /** The tools that were admitted, by their ids: their answers, and their errors, are of what the caller could see. */
  listTargets(): ReadonlyMap<string, Admitted<ToolCall>>;
};

const turn = { owner: "" };

/** Answers what one script asks, as the caller of the script's own call. */
export function createAnswers(
  deps: AnswerDeps,
  ctx: CallContext,
  { runId, readsOnly, callsAtOnce, reportCall }: AnswerOptions,
): Answers {
  const cause = { kind: "script", id: runId } as const;
  const entries = new WeakMap<ExecuteRequest, MadeCall>();
  const targets = new Map<string, Admitted<ToolCall>>();
  // Searches are calls of the user, too.
  const turns = createFairQueue({ atOnce: { total: limitAtOnce(callsAtOnce) } });
  const inner = createInnerCalls(
    {
      calls: deps.calls,
      onTarget(request, target) {
        const id = toToolId(target.row.id, target.operation.key);
        targets.set(id, target);
        const entry = entries.get(request);
        if (entry !== undefined) entry.tool_id = id;
      },
    },
    ctx,
    cause,
  );
  const search = createSearch(deps, { ...ctx, cause });
  const made: MadeCall[] = [];

  async function call(request: ExecuteRequest, signal: AbortSignal): Promise<string> {
    const entry: MadeCall = { tool_id: request.toolId, status: "running", run_id: null };
    made.push(entry);
    entries.set(request, entry);
    const answer = await inner.call(request, signal);
    entry.status = answer.status;
    if (answer.status !== "not_run") entry.run_id = answer.runId ?? null;
    reportCall();
    if (answer.status !== "success") throw answer.error;
    return answer.text;
  }

  return {
    async answer(question, signal): Promise<ScriptReply> {
      let end = () => {};
      try {
        end = await turns.enter(turn, AbortSignal.any([ctx.signal, signal]));
        const text =
          question.kind === "call"
            ? await call({ ...readCall(question), readsOnly }, signal)
            : await search(readQuery(question), signal);
        return { kind: "value", text };
      } catch (thrown) {
        const failure = toHubError(thrown);
        // A failure inside a call is logged with its record, which leaves out the cause.
        if (failure.cause !== undefined) deps.logFailure(failure.cause);
        return { kind: "error", text: toErrorText(failure) };
      } finally {
        end();
      }
    },
    listCalls: () => made.filter(({ status }) => status !== "not_run"),
    listTargets: () => targets,
  };
}

/** What clients get of a failed call: the members of its details beside the code. */
function toErrorText({ code, message, detail }: HubError): string {
  return toJsonText({ ...detail, message, code });
}
