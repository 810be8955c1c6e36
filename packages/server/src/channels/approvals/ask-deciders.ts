import { findCallPersonRefusal } from "../../services/pending/call-rules.ts";
import { hashCall } from "../../services/pending/hash-call.ts";
import { insertApprovalMessages, wakeMessages } from "../../store/channels/approval-messages.ts";
import {
  type AskedAccount,
  listDeciderAccounts,
  listUnremindedCalls,
  listUntoldCalls,
  markCallTold,
  markReminded,
} from "../../store/channels/call-messages.ts";
import type { Db, Transaction } from "../../store/database/database.ts";
import { transaction } from "../../store/database/database.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";

type AskDeps = { db: Db; now(): number };

/** Calls that are looked at in one go. */
const callsMax = 50;
/** Chat accounts that are asked about one call, and read to find them. */
const askedMax = 100;
const accountsMax = 1_000;

/**
 * Stores a message for each chat account of those who may decide new calls, and wakes the messages of calls whose state has
 * changed. Returns how many calls it looked at.
 */
export async function askDeciders(deps: AskDeps): Promise<number> {
  const ids = await listUntoldCalls(deps.db, callsMax);
  for (const id of ids) {
    await withCall(deps, id, async (trx, call, messageIds) => {
      const { state } = call;
      // Another server may be faster, and the call may have been decided meanwhile.
      if (!(await markCallTold(trx, { id, state }))) return;
      if (state !== "open") return await wakeMessages(trx, { about: "call", id });
      await insertMessages(trx, call, messageIds, ({ hasMessage }) => !hasMessage);
    });
  }
  return ids.length;
}

/** The same once more, when half of the time has passed: a changed message would be no news on a phone. */
export async function remindDeciders(deps: AskDeps): Promise<number> {
  const at = deps.now();
  const ids = await listUnremindedCalls(deps.db, at, callsMax);
  for (const id of ids) {
    await withCall(deps, id, async (trx, call, messageIds) => {
      if (!(await markReminded(trx, { id, at })) || call.expiresAt <= at) return;
      await insertMessages(trx, call, messageIds, () => true);
    });
  }
  return ids.length;
}

async function withCall(
  { db }: AskDeps,
  id: string,
  work: (trx: Transaction, call: PendingCall, messageIds: readonly string[]) => Promise<void>,
): Promise<void> {
  const call = await findPendingCall(db, id);
  if (call === null) return;
  const messageIds = Array.from({ length: askedMax }, () => crypto.randomUUID());
  await transaction(db, (trx) => work(trx, call, messageIds));
}

async function insertMessages(
  trx: Transaction,
  call: PendingCall,
  messageIds: readonly string[],
  isWanted: (account: AskedAccount) => boolean,
): Promise<void> {
  const userIds = call.decider.kind === "caller" ? [call.userId] : [];
  const accounts = await listDeciderAccounts(trx, { id: call.id, userIds, limit: accountsMax });
  const asked = accounts.filter((one) => isWanted(one) && mayDecide(call, one.userId));
  const hash = hashCall(call);
  await insertApprovalMessages(
    trx,
    asked.slice(0, askedMax).map(({ hasMessage: _, ...account }, at) => ({
      ...account,
      // There are as many ids as accounts.
      id: messageIds[at] ?? "",
      about: "call" as const,
      subjectId: call.id,
      hash,
    })),
  );
}

/** Buttons that would be refused are not shown. */
const mayDecide = (call: PendingCall, userId: string) =>
  findCallPersonRefusal(call, { userId, isAdmin: false, isNamed: true, excludedSince: [] }) ===
  null;
