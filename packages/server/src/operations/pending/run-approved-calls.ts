import type { Caller, Principal } from "../../caller.ts";
import { type ErrorCode, HubError } from "../../errors.ts";
import type { Db } from "../../store/database/database.ts";
import {
  hasLivePrincipal,
  listRunnableCalls,
  type RunnableCall,
} from "../../store/pending/list-runnable-calls.ts";
import { endPendingCall } from "../../store/pending/pending-call-states.ts";
import type { Calls } from "../ports.ts";
import { pendingLimits } from "./pending-limits.ts";

export type RunApprovedDeps = {
  db: Db;
  calls: Pick<Calls, "call">;
  now(): number;
  /** The caller as stored now, without a token; null if the user may not use the hub any more. */
  findCaller(userId: string): Promise<Caller | null>;
  /** When calls that could not begin are tried again, by id. Absent if each is tried once. */
  retries?: Map<string, number>;
};

/** Of one process. A slow call delays only calls of the same user, and those beyond this number. */
const atOnce = { all: 10, ofUser: 3 };
const listedMax = 500;
const pollMs = 2_000;
/** A call that could not begin is tried again, less and less often: each try is recorded. */
const retryMs = { min: 15_000, max: 120_000 };
/** No later round can make such a call valid, such as with an account that was connected by another label. */
const finalRefusals: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "invalid_params",
  "refused_by_rule",
]);

/**
 * Runs the approved calls that need no repeat, as their callers and with the rights of this moment, and those that are approved
 * while they run. Several servers may try: the claim lets one of them run each. Throws the first failure that is the hub's own,
 * when all have ended.
 */
export async function runApprovedCalls(
  deps: RunApprovedDeps,
  signal: AbortSignal,
  isOver: () => boolean = () => false,
): Promise<void> {
  const running = new Map<string, { userId: string; done: Promise<void> }>();
  const tried = deps.retries ?? new Map<string, number>();
  const failures: unknown[] = [];
  for (;;) {
    for (const call of isOver() ? [] : await listStartable(deps, running, tried)) {
      const { id, userId } = call;
      tried.set(id, deps.retries === undefined ? Number.POSITIVE_INFINITY : toNextTry(deps, call));
      const done = runApproved(deps, call, signal)
        .catch((failure: unknown) => failures.push(failure))
        .then(() => void running.delete(id));
      running.set(id, { userId, done });
    }
    if (running.size === 0) break;
    await waitForAny([...running.values()].map(({ done }) => done));
  }
  const [failure] = failures;
  if (failure !== undefined) throw failure;
}

/** The wait grows with the age of the approval. */
function toNextTry({ now }: RunApprovedDeps, { approvedUntil }: RunnableCall): number {
  const at = now();
  const age = at - (approvedUntil - pendingLimits.approvedMs);
  return at + Math.min(Math.max(age, retryMs.min), retryMs.max);
}

async function listStartable(
  { db, now }: RunApprovedDeps,
  running: ReadonlyMap<string, { userId: string }>,
  tried: Map<string, number>,
): Promise<RunnableCall[]> {
  const at = now();
  const users = [...running.values()].map(({ userId }) => userId);
  const startable: RunnableCall[] = [];
  const listed = await listRunnableCalls(db, { at, limit: listedMax });
  for (const call of listed) {
    if (users.length >= atOnce.all) break;
    if (running.has(call.id) || (tried.get(call.id) ?? 0) > at) continue;
    if (users.filter((userId) => userId === call.userId).length >= atOnce.ofUser) continue;
    users.push(call.userId);
    startable.push(call);
  }
  // What is not listed any more has begun or ended.
  const ids = new Set(listed.map(({ id }) => id));
  for (const id of tried.keys()) if (!ids.has(id) && !running.has(id)) tried.delete(id);
  return startable;
}

/** Until one has ended, or until others may have been approved. */
async function waitForAny(done: Promise<void>[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, pollMs);
  try {
    await Promise.race([...done, promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function runApproved(
  deps: RunApprovedDeps,
  call: RunnableCall,
  signal: AbortSignal,
): Promise<void> {
  const { db, calls, now } = deps;
  const { id, origin } = call;
  // Read again while the call runs: it ends with the right of its caller, as the calls of clients do.
  const findCaller = () => findPresentCaller(deps, call);
  const caller = await findCaller();
  if (caller === null) return;
  const { source, ip, userAgent } = origin;
  const request = { toolId: "", params: {}, pendingId: id, onlyApproved: true };
  try {
    const cause = { kind: "pending", id } as const;
    const from = { source, ip, userAgent };
    await calls.call({ caller, findCaller, origin: from, signal, cause }, request);
  } catch (thrown) {
    // Its failure is recorded and stored: it answers the repeat or the task.
    if (!(thrown instanceof HubError)) throw thrown;
    // If it has begun, it has ended already.
    if (finalRefusals.has(thrown.code)) {
      await endPendingCall(db, { id, state: "ended", reason: thrown.message, at: now() });
    }
  }
}

/** Null if the user, the token or the application may not use the hub any more. */
async function findPresentCaller(
  { db, findCaller, now }: RunApprovedDeps,
  { id, userId, principal: text, origin }: RunnableCall,
): Promise<Caller | null> {
  const principal = parsePrincipal(text);
  if (principal === null || !(await hasLivePrincipal(db, { id, at: now() }))) return null;
  const found = await findCaller(userId);
  if (found === null) return null;
  const hasToken = principal.kind === "token" || principal.kind === "grant";
  const tokenId = hasToken ? principal.id : null;
  const { scope = null, bounds } = origin;
  return { ...found, principal, tokenId, scope, ...(bounds && { bounds }) };
}

/** The run of a workflow makes its call again itself. */
function parsePrincipal(text: string): Principal | null {
  if (text === "stdio" || text === "session") return { kind: text, id: "" };
  const [kind, id = ""] = text.split(":");
  return kind === "token" || kind === "grant" ? { kind, id } : null;
}
