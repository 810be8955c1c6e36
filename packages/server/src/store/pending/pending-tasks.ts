import { sql } from "kysely";
import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { type PendingCall, toPendingCall } from "./pending-call-record.ts";
import { toColumns } from "./pending-calls-table.ts";

/** A pending call that a client was given as a task. */
export type StoredTask = {
  call: PendingCall;
  /** Whether the client has answered what the task asked of it. */
  isAnswered: boolean;
};

/** Makes a task of a pending call that has not ended. Does nothing if it is one already. */
export async function markTask(
  db: Db,
  { id, userId, principal }: Pick<PendingCall, "id" | "userId" | "principal">,
): Promise<void> {
  await toKysely(db)
    .updateTable("pending_calls")
    .set({ task: 1 })
    .where("id", "=", id)
    .where("user_id", "=", userId)
    .where("principal", "=", principal)
    .where("task", "=", 0)
    .where("state", "in", ["open", "approved", "running"])
    .execute();
}

/** Null if the call does not exist or is no task. */
export async function findTask(db: Db, id: string): Promise<StoredTask | null> {
  const found = await toKysely(db)
    .selectFrom("pending_calls")
    .select(tableColumns.pending_calls)
    .where("id", "=", id)
    .where(sql<boolean>`task > 0`)
    .executeTakeFirst();
  return found === undefined ? null : { call: toPendingCall(found), isAnswered: found.task === 2 };
}

/** Which client a task is of, and what says whether it is still kept. */
export type TaskOwner = Pick<
  PendingCall,
  "id" | "userId" | "principal" | "state" | "expiresAt" | "resultAt"
>;

/** The owners of those of these calls that are tasks, without what the calls contain. */
export async function listTaskOwners(db: Db, ids: readonly string[]): Promise<TaskOwner[]> {
  return await toKysely(db)
    .selectFrom("pending_calls")
    .select([
      "id",
      "user_id as userId",
      "principal",
      "state",
      "expires_at as expiresAt",
      "result_at as resultAt",
    ])
    .where("id", "in", ids)
    .where(sql<boolean>`task > 0`)
    .execute();
}

/** The client has answered: the task asks it nothing more. */
export async function markTaskAnswered(db: Db, id: string): Promise<void> {
  await toKysely(db)
    .updateTable("pending_calls")
    .set({ task: 2 })
    .where("id", "=", id)
    .where("task", "=", 1)
    .execute();
}

/** What tells that a task has changed, by id. Only those that still are there. */
export async function listTaskStamps(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await toKysely(db)
    .selectFrom("pending_calls")
    .select(["id", "reason", "state", "task", "result_at"])
    .where("id", "in", ids)
    .where(sql<boolean>`task > 0`)
    .execute();
  return new Map(
    found.map(({ id, reason, state, task, result_at: at }) => [
      id,
      // A task may ask again at once after an answer.
      `${reason} ${state} ${task} ${at ?? ""}`,
    ]),
  );
}

/** A literal, because SQLite uses no partial index for parameters. */
const isRunning = sql<boolean>`state = 'running'`;

/**
 * Stores a call that runs as a task, and returns its id: that of the pending call which it has begun with, if there is one.
 * Null if as many of its user run as tasks already.
 */
export async function insertRunningTask(
  trx: Transaction,
  { call, runId, instanceId }: { call: PendingCall; runId: string; instanceId: string },
  max: number,
): Promise<string | null> {
  const kysely = toKysely(trx);
  const running = await kysely
    .selectFrom("pending_calls")
    .select(["id", "run_id"])
    .where("instance_id", "=", instanceId)
    .where("user_id", "=", call.userId)
    .where(isRunning)
    .execute();
  const known = running.find(({ run_id }) => run_id === runId);
  if (known !== undefined) {
    const { id } = known;
    await kysely.updateTable("pending_calls").set({ task: 1 }).where("id", "=", id).execute();
    return id;
  }
  if (running.length >= max) return null;
  const columns = { ...toColumns(call), run_id: runId, instance_id: instanceId };
  await kysely.insertInto("pending_calls").values(columns).execute();
  return call.id;
}
