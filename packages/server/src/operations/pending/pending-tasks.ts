import { errorTable, HubError } from "../../errors.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { endPendingCall } from "../../store/pending/pending-call-states.ts";
import {
  findTask,
  listTaskOwners,
  listTaskStamps,
  markTask,
  markTaskAnswered,
  type StoredTask,
  type TaskOwner,
} from "../../store/pending/pending-tasks.ts";
import type { RunningCalls } from "../calls/running-calls.ts";
import { toToolId } from "../catalogue/tool-id.ts";
import type { CallContext } from "../operations.ts";
import type { PendingTask, PendingTasks, TaskState, ToolCatalogue } from "../ports.ts";
import { toDeniedError } from "./answer-repeat.ts";
import { toCallUrl } from "./call-url.ts";
import { isForClient, isOwnCall } from "./client-questions.ts";
import { type FollowDeps, followRunningCall } from "./follow-running-call.ts";
import type { ClaimedEnd, EndedCall } from "./pending-calls.ts";
import { pendingLimits } from "./pending-limits.ts";
import { findPrincipal, formatPrincipal } from "./principal.ts";
import { type KeptResult, openResult } from "./sealed-request.ts";
import { answerTaskQuestion, createTaskQuestions, findTaskQuestion } from "./task-questions.ts";

export type TaskDeps = FollowDeps & {
  pending: { finish(claim: EndedCall, end: ClaimedEnd): Promise<void> };
  /** Whether only people who lately proved who they are decide calls. */
  freshDecisions: boolean;
  findBaseUrl(): Promise<string | null>;
  catalogue: Pick<ToolCatalogue, "get">;
  running: Pick<RunningCalls, "cancel">;
  /** Cancels a call that another process runs. Absent where there is none. */
  cancelElsewhere?: ((runId: string, reason: string) => Promise<void>) | undefined;
};

const cancelReason = "cancelled by its client";

export function createPendingTasks(deps: TaskDeps): PendingTasks {
  const { db } = deps;
  const find = async (ctx: CallContext, id: string) => {
    const stored = await findOwn(deps, ctx, id);
    return stored && (await toTask(deps, ctx, stored));
  };
  return {
    find,
    listOwn: (ctx, ids) => listOwn(deps, ctx, ids),
    listStamps: (ids) => listTaskStamps(db, ids),
    async make(ctx, id) {
      const principal = formatPrincipal(findPrincipal(ctx));
      await markTask(db, { id, userId: ctx.caller.userId, principal });
      return await find(ctx, id);
    },
    async follow(ctx, running) {
      const id = await followRunningCall(deps, ctx, running);
      return id === null ? null : await find(ctx, id);
    },
    finish: ({ id, runId, userId }, end) => deps.pending.finish({ callId: id, runId, userId }, end),
    async markAnswered(ctx, id) {
      if ((await findOwn(deps, ctx, id)) !== null) await markTaskAnswered(db, id);
    },
    async answer(ctx, id, responses) {
      const stored = await findOwn(deps, ctx, id);
      if (stored !== null) await answerTaskQuestion(deps, stored.call, responses);
    },
    questions: createTaskQuestions(deps),
    async cancel(ctx, id) {
      const stored = await findOwn(deps, ctx, id);
      if (stored === null) return null;
      const end = { id, state: "ended" as const, reason: cancelReason, at: deps.now() };
      if (!(await endPendingCall(db, end))) await stop(deps, id);
      return await find(ctx, id);
    },
  };
}

/** As the hub writes them. Other texts, of any length, are not looked for. */
const idPattern = /^[0-9a-f]{32}$/;

async function listOwn(
  { db, now }: TaskDeps,
  ctx: CallContext,
  ids: readonly string[],
): Promise<string[]> {
  const possible = ids.filter((id) => idPattern.test(id));
  const found = possible.length === 0 ? [] : await listTaskOwners(db, possible);
  const own = found.filter((call) => isOwnCall(ctx, call) && isKept(call, now()));
  const kept = new Set(own.map(({ id }) => id));
  return possible.filter((id) => kept.has(id));
}

async function findOwn(
  { db, now }: TaskDeps,
  ctx: CallContext,
  id: string,
): Promise<StoredTask | null> {
  const stored = idPattern.test(id) ? await findTask(db, id) : null;
  if (stored === null || !isOwnCall(ctx, stored.call)) return null;
  return isKept(stored.call, now()) ? stored : null;
}

/** Read again: the call may have begun to run since. */
async function stop({ db, running, cancelElsewhere }: TaskDeps, id: string): Promise<void> {
  const call = (await findTask(db, id))?.call;
  if (call?.state !== "running" || call.runId === null) return;
  const reason = "The call was stopped by its caller.";
  if (!running.cancel(call.runId, reason)) await cancelElsewhere?.(call.runId, reason);
}

function isKept(call: TaskOwner, at: number): boolean {
  return !isFinal(call) || toKeptUntil(call) > at;
}

function isFinal({ state }: Pick<PendingCall, "state">): boolean {
  return state !== "open" && state !== "approved" && state !== "running";
}

function toKeptUntil({ expiresAt, resultAt }: Pick<PendingCall, "expiresAt" | "resultAt">): number {
  return Math.max(expiresAt, resultAt ?? 0) + pendingLimits.ownResultMs;
}

async function toTask(
  deps: TaskDeps,
  ctx: CallContext,
  stored: StoredTask,
): Promise<PendingTask | null> {
  const { call } = stored;
  const toolId = toToolId(call.rowId, call.operationKey);
  const isShown = call.state === "done" || (call.state === "running" && call.reason === "input");
  if (isShown && !(await mayCall(deps, ctx, toolId))) return null;
  const state = await toState(deps, stored);
  if (state === null) return null;
  return {
    id: call.id,
    toolId,
    createdAt: call.createdAt,
    updatedAt: Math.max(call.createdAt, call.decidedAt ?? 0, call.resultAt ?? 0),
    keptUntil: toKeptUntil(call),
    state,
  };
}

/** A right that was taken away takes the results with it. */
async function mayCall(
  { catalogue }: TaskDeps,
  { caller }: CallContext,
  toolId: string,
): Promise<boolean> {
  try {
    await catalogue.get(caller, toolId);
    return true;
  } catch (thrown) {
    if (thrown instanceof HubError && thrown.code !== "internal") return false;
    throw thrown;
  }
}

/** Null after the result was deleted. */
async function toState(
  deps: TaskDeps,
  { call, isAnswered }: StoredTask,
): Promise<TaskState | null> {
  const at = deps.now();
  switch (call.state) {
    case "open": {
      if (call.expiresAt <= at) return refuse(call, "It was not decided in time.");
      const { id, state, shown, reason } = call;
      return {
        kind: "waiting",
        question: { id, state, shown, isConfirmedByClient: isForClient(deps, call) },
        reason,
        url: await findPage(deps, call),
        isForCaller: call.decider.kind === "caller",
        isAnswered,
      };
    }
    case "approved":
      if ((call.approvedUntil ?? 0) > at) return { kind: "running" };
      return refuse(call, "Its approval was not used in time.");
    case "running": {
      const question = findTaskQuestion(deps, call);
      return question === null ? { kind: "running" } : { kind: "asking", question };
    }
    case "done":
      return call.result === null
        ? null
        : toAnswer(openResult(deps.ring.current(), call.id, call.result));
    case "denied":
      return { kind: "refused", failure: toDeniedError(call, at) };
    case "expired":
      return refuse(call, "It was not decided, or its approval not used, in time.");
    case "changed":
      return refuse(call, "What it would run has changed since it was asked about.");
    case "ended":
      if (call.endedReason === cancelReason) return { kind: "cancelled" };
      return { kind: "refused", failure: refuseEnded(call) };
    case "unknown":
      return { kind: "unknown" };
  }
}

async function findPage({ findBaseUrl }: TaskDeps, call: PendingCall): Promise<string | null> {
  const baseUrl = await findBaseUrl();
  if (baseUrl === null) return null;
  if (call.reason !== "account") return toCallUrl(baseUrl, call.id);
  return `${baseUrl}/profile/accounts?row=${encodeURIComponent(call.rowId)}`;
}

function toAnswer(kept: KeptResult): TaskState {
  if (kept.kind === "result") return { kind: "done", text: kept.text };
  if (kept.code === "cancelled") return { kind: "cancelled" };
  const { message, detail } = kept;
  // A code of a newer server is not known here.
  const code = Object.hasOwn(errorTable, kept.code) ? kept.code : "internal";
  // Safe: it is a member of the table.
  return { kind: "refused", failure: new HubError(code as HubError["code"], message, { detail }) };
}

function refuse({ reason }: PendingCall, why: string): TaskState {
  const code = reason === "account" ? "needs_account" : "approval_required";
  const message = `The call waited for a person. ${why} Nothing has run. Make the call again to ask anew.`;
  return { kind: "refused", failure: new HubError(code, message) };
}

function refuseEnded({ endedReason }: PendingCall): HubError {
  const why = endedReason === null ? "" : `: ${endedReason.replace(/\.$/, "")}`;
  return new HubError(
    "refused_by_rule",
    `The call may not run any more${why}. Nothing has run. Ask an admin.`,
  );
}
