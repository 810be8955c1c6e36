import { HubError } from "../../errors.ts";
import type { DecidingActor } from "../../identity/check-personal-door.ts";
import { LOCAL_ADMIN_ID } from "../../identity/local-admin.ts";
import { isActive } from "../../identity/to-caller.ts";
import { listExcludedSince } from "../../operations/rules/list-excluded.ts";
import type { Transaction } from "../../store/database/database.ts";
import { toCallSummary } from "../../store/pending/call-summary.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import { isNamedFor } from "../../store/pending/pending-lists.ts";
import { findRow } from "../../store/rows/rows-table.ts";
import { EVERYONE_TAG } from "../../store/tags/tags-table.ts";
import { findUserById, type User } from "../../store/users/users-table.ts";
import { findCallPersonRefusal, findCallStateRefusal, refuseUnknownCall } from "./call-rules.ts";
import { findAskingRule } from "./find-hour.ts";
import { hashCall } from "./hash-call.ts";
import { needsExcluded, toAskedRule, toPendingReader } from "./pending-reading.ts";

/** A call that a person may decide now. */
export type ForDecision = { call: PendingCall; user: User; isNamed: boolean };

/**
 * The call, if the person may decide it now: read as of this transaction, so that a person whose right has ended since the
 * page was shown is refused. Throws `not_found`, `forbidden` or `conflict`.
 */
export async function loadForDecision(
  trx: Transaction,
  actor: DecidingActor,
  { id, hash, at }: { id: string; hash: string | null; at: number },
): Promise<ForDecision> {
  const call = await findPendingCall(trx, id);
  const user = await findUserById(trx, actor.userId);
  if (call === null || user === null || !isActive(user)) throw refuseUnknownCall();
  const isAdmin = user.role === "admin";
  const isNamed = await isNamedFor(trx, id, toPendingReader({ ...user, userId: user.id }));
  if (!isNamed && !isAdmin && call.userId !== user.id) throw refuseUnknownCall();
  const mark = { ...call, summary: toCallSummary(call.shown) };
  const excludedSince = needsExcluded(mark) ? await listExcludedSince(trx, toAskedRule(mark)) : [];
  const decider = { userId: user.id, isAdmin, isNamed, excludedSince };
  const refusal =
    findCallPersonRefusal(call, decider) ??
    (await findDeputyRefusal(trx, call, user, excludedSince));
  if (refusal !== null) throw new HubError("forbidden", refusal);
  const over = findCallStateRefusal(call, at);
  if (over !== null) throw new HubError("conflict", `The call cannot be decided. ${over}`);
  const current = hashCall(call);
  if (hash !== null && hash !== current) {
    const message = "What you decided on is not what this call asks. Read it again.";
    throw new HubError("conflict", message, { detail: { hash: current } });
  }
  return { call, user, isNamed };
}

/** A deputy decides only as long as the approver who named it may. */
async function findDeputyRefusal(
  trx: Transaction,
  { decider, deputyBy, excluded }: PendingCall,
  user: User,
  excludedSince: readonly string[],
): Promise<string | null> {
  if (decider.kind === "caller" || hasDecidingTag(user, decider.tags)) return null;
  const namer = deputyBy === null ? null : await findUserById(trx, deputyBy);
  const isRight =
    namer !== null &&
    isActive(namer) &&
    hasDecidingTag(namer, decider.tags) &&
    !excluded.includes(namer.id) &&
    !excludedSince.includes(namer.id);
  return isRight ? null : "The approver who named you may not decide this call any more.";
}

export function hasDecidingTag(user: Pick<User, "tags">, tags: readonly string[]): boolean {
  return tags.some((tag) => tag === EVERYONE_TAG || user.tags.includes(tag));
}

/** Why a call that is open cannot run any more, also if it is approved. Null if it can. */
export async function findLapse(
  trx: Transaction,
  call: PendingCall,
): Promise<{ state: "changed" | "ended"; reason: string } | null> {
  const asker = call.userId === LOCAL_ADMIN_ID ? null : await findUserById(trx, call.userId);
  if (call.userId !== LOCAL_ADMIN_ID && (asker === null || !isActive(asker))) {
    return { state: "ended", reason: "The user whose call it is may not call any more." };
  }
  const row = await findRow(trx, call.rowId);
  if (row === null || row.disabled) {
    return { state: "ended", reason: "The row is deleted or disabled." };
  }
  if ((await findAskingRule(trx, call)) === null) {
    return { state: "changed", reason: "The rule has changed since. The client must ask anew." };
  }
  return null;
}
