import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { PendingReason } from "../database/tables/pending-tables.ts";

/** A call that runs as a task, by the process that runs it. */
export type TaskRun = { id: string; runId: string };

/**
 * Stores what a running task asks its client, in place of a result. Returns why the call was stored, which is its reason again after the
 * answer. Null if it does not run any more, or asks something already.
 */
export async function putTaskQuestion(
  trx: Transaction,
  { id, runId, question, at }: TaskRun & { question: Uint8Array; at: number },
): Promise<PendingReason | null> {
  const kysely = toKysely(trx);
  const found = await kysely
    .selectFrom("pending_calls")
    .select("reason")
    .where("id", "=", id)
    .where("state", "=", "running")
    .where("run_id", "=", runId)
    .where("reason", "<>", "input")
    .executeTakeFirst();
  if (found === undefined) return null;
  await kysely
    .updateTable("pending_calls")
    .set({ reason: "input", task: 1, result: question, result_at: at })
    .where("id", "=", id)
    .execute();
  return found.reason;
}

/** Stores the answer in place of the question that was asked then. False if it was answered, or was taken back. */
export async function putTaskAnswer(
  trx: Transaction,
  { id, askedAt, answer }: { id: string; askedAt: number; answer: Uint8Array },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(trx)
    .updateTable("pending_calls")
    .set({ task: 2, result: answer })
    .where("id", "=", id)
    .where("state", "=", "running")
    .where("reason", "=", "input")
    .where("task", "=", 1)
    .where("result_at", "=", askedAt)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The stored answer; null while there is none, undefined if the call does not run or asks nothing. */
export async function findTaskAnswer(
  db: Db,
  { id, runId }: TaskRun,
): Promise<Uint8Array | null | undefined> {
  const found = await toKysely(db)
    .selectFrom("pending_calls")
    .select(["task", "result"])
    .where("id", "=", id)
    .where("state", "=", "running")
    .where("run_id", "=", runId)
    .where("reason", "=", "input")
    .executeTakeFirst();
  if (found === undefined) return undefined;
  return found.task === 2 ? found.result : null;
}

/** The task asks nothing any more. Its reason is what `putTaskQuestion` returned. */
export async function endTaskQuestion(
  db: Db,
  { id, runId, reason }: TaskRun & { reason: PendingReason },
): Promise<void> {
  await toKysely(db)
    .updateTable("pending_calls")
    .set({ reason, task: 1, result: null })
    .where("id", "=", id)
    .where("state", "=", "running")
    .where("run_id", "=", runId)
    .where("reason", "=", "input")
    .execute();
}
