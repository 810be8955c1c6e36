import { HubError } from "../../errors.ts";
import type { DecidingActor } from "../../identity/check-personal-door.ts";
import { LOCAL_ADMIN_ID } from "../../identity/local-admin.ts";
import { isActive } from "../../identity/to-caller.ts";
import { listExcludedSince } from "../../operations/rules/list-excluded.ts";
import type { Transaction } from "../../store/database/database.ts";
import { toCallSummary } from "../../store/pending/call-summary.ts";
import { endForbidden } from "../../store/pending/end-pending-calls.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { endPendingCall } from "../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import { isNamedFor } from "../../store/pending/pending-lists.ts";
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
    !excluded.some((id) => id === namer.id) &&
    !excludedSince.includes(namer.id);
  return isRight ? null : "The approver who named you may not decide this call any more.";
}

export function hasDecidingTag(user: Pick<User, "tags">, tags: readonly string[]): boolean {
  return tags.some((tag) => tag === EVERYONE_TAG || user.tags.some((own) => own === tag));
}

/**
 * Ends a call that could not run any more if it was approved: its user, its token, the row or the operation may not call, or
 * the rule is another one. Returns why; null if it can run.
 */
export async function endLapsed(
  trx: Transaction,
  call: PendingCall,
  at: number,
): Promise<string | null> {
  const { id } = call;
  if ((await endForbidden(trx, { localUserId: LOCAL_ADMIN_ID, at, id })) > 0) {
    const ended = await findPendingCall(trx, id);
    return `It has ended, because ${ended?.endedReason ?? "it may not run any more"}.`;
  }
  if ((await findAskingRule(trx, call)) !== null) return null;
  await endPendingCall(trx, { id, state: "changed", reason: "the rule", at });
  return "The rule has changed since. The client must ask anew.";
}
