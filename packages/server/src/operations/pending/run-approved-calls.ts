import type { Caller, Principal } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import type { Db } from "../../store/database/database.ts";
import { listRunnableCalls } from "../../store/pending/list-runnable-calls.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { endPendingCall } from "../../store/pending/pending-call-states.ts";
import type { Calls } from "../ports.ts";

export type RunApprovedDeps = {
  db: Db;
  calls: Pick<Calls, "call">;
  now(): number;
  /** The caller as stored now, without a token; null if the user may not use the hub any more. */
  findCaller(userId: string): Promise<Caller | null>;
};

/** Started at once. Others follow with the next round. */
const atOnce = 10;

/**
 * Runs the approved calls that need no repeat, as their callers and with the rights of this moment. Several servers may try:
 * the claim lets one of them run each.
 */
export async function runApprovedCalls(deps: RunApprovedDeps, signal: AbortSignal): Promise<void> {
  const calls = await listRunnableCalls(deps.db, { at: deps.now(), limit: atOnce });
  await Promise.all(calls.map((call) => runApproved(deps, call, signal)));
}

async function runApproved(
  { db, calls, findCaller, now }: RunApprovedDeps,
  { id, userId, principal: text, origin }: PendingCall,
  signal: AbortSignal,
): Promise<void> {
  const principal = parsePrincipal(text);
  const found = await findCaller(userId);
  if (found === null || principal === null) return;
  const hasToken = principal.kind === "token" || principal.kind === "grant";
  const caller: Caller = { ...found, principal, tokenId: hasToken ? principal.id : null };
  const { source, ip, userAgent } = origin;
  const request = { toolId: "", params: {}, pendingId: id, onlyApproved: true };
  try {
    await calls.call({ caller, origin: { source, ip, userAgent }, signal }, request);
  } catch (thrown) {
    // Its failure is recorded and stored: it answers the repeat or the task.
    if (!(thrown instanceof HubError)) throw thrown;
    // It never began, and no later round can make it valid: such as with an account that was connected by another label.
    if (thrown.code === "invalid_params") {
      await endPendingCall(db, { id, state: "ended", reason: thrown.message, at: now() });
    }
  }
}

/** The run of a workflow makes its call again itself. */
function parsePrincipal(text: string): Principal | null {
  if (text === "stdio" || text === "session") return { kind: text, id: "" };
  const [kind, id = ""] = text.split(":");
  return kind === "token" || kind === "grant" ? { kind, id } : null;
}
