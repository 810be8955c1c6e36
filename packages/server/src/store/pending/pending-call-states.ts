import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** A decision of a person. `approvedUntil` is when an approval ends that was not used. */
export type PendingDecision = {
  id: string;
  state: "approved" | "denied";
  at: number;
  by: string;
  byEmail: string;
  /** The page, or the chat platform. */
  via: string;
  comment: string | null;
  approvedUntil: number | null;
  keepUntil: number;
};

/** Decides a call that is open and in time. False if it is not. Its deciders are checked by the caller of this. */
export async function putPendingDecision(db: Db, decision: PendingDecision): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("pending_calls")
    .set({
      state: decision.state,
      decided_at: decision.at,
      decided_by: decision.by,
      decided_by_email: decision.byEmail,
      decided_via: decision.via,
      comment: decision.comment,
      approved_until: decision.approvedUntil,
      keep_until: decision.keepUntil,
    })
    .where("id", "=", decision.id)
    .where("state", "=", "open")
    .where("expires_at", ">", decision.at)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The use of an approval by a call that begins now. */
export type PendingClaim = {
  id: string;
  /** Of the params that are about to run, and of what they are sent to. */
  digest: string;
  basis: string;
  /** Of the row as the call began with it. */
  rowVersion: number;
  runId: string;
  instanceId: string;
  at: number;
};

/**
 * Uses an approval: false if it was used already, is late, or is of another call, or if the row or the rule has changed since
 * the call began. In the transaction that writes the record of the call.
 */
export async function claimPendingCall(trx: Transaction, claim: PendingClaim): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(trx)
    .updateTable("pending_calls")
    .set({ state: "running", run_id: claim.runId, instance_id: claim.instanceId })
    .where("id", "=", claim.id)
    .where("state", "=", "approved")
    .where("approved_until", ">", claim.at)
    .where("digest", "=", claim.digest)
    .where("basis", "=", claim.basis)
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom("connector_rows")
          .select("connector_rows.id")
          .whereRef("connector_rows.id", "=", "pending_calls.row_id")
          .where("connector_rows.version", "=", claim.rowVersion),
      ),
    )
    .where(({ or, eb, exists, selectFrom }) =>
      or([
        eb("rule_id", "is", null),
        exists(
          selectFrom("call_rules")
            .select("call_rules.id")
            .whereRef("call_rules.id", "=", "pending_calls.rule_id")
            .whereRef("call_rules.revision", "=", "pending_calls.rule_revision"),
        ),
      ]),
    )
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Stores how a running call ended. False if it does not run any more. */
export async function finishPendingCall(
  db: Db,
  end: { id: string; runId: string; result: Uint8Array | null; at: number; keepUntil: number },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("pending_calls")
    .set({ state: "done", result: end.result, result_at: end.at, keep_until: end.keepUntil })
    .where("id", "=", end.id)
    .where("state", "=", "running")
    .where("run_id", "=", end.runId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/**
 * Gives an approval back whose call has ended with a question of the outside system: its client makes it again with the answers, as
 * long as the approval lasts. It does not run by itself any more, which would ask anew. False for a task, and for a call that does
 * not run any more.
 */
export async function returnApproval(
  db: Db,
  { id, runId }: { id: string; runId: string },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("pending_calls")
    .set({ state: "approved", run_id: null, instance_id: null, runs_by_itself: 0 })
    .where("id", "=", id)
    .where("state", "=", "running")
    .where("run_id", "=", runId)
    .where("approved_until", "is not", null)
    .where("task", "=", 0)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Marks a call that has run, and of which nothing else could be stored. False if it does not run any more. */
export async function loseOutcome(
  db: Db,
  { id, runId }: { id: string; runId: string },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("pending_calls")
    .set({ state: "unknown", ended_reason: "its outcome could not be stored" })
    .where("id", "=", id)
    .where("state", "=", "running")
    .where("run_id", "=", runId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Ends a question or an approval that waits: false if it does not wait any more. */
export async function endPendingCall(
  db: Db,
  end: { id: string; state: "expired" | "changed" | "ended"; reason: string | null; at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(db)
    .updateTable("pending_calls")
    .set({ state: end.state, ended_reason: end.reason })
    .where("id", "=", end.id)
    .where("state", "in", ["open", "approved"])
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
