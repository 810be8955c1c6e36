import { sql } from "kysely";
import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { PendingCall } from "./pending-call-record.ts";

/** The first bytes of a sealed value say which key sealed it, and the next ones are different in each. */
const startBytes = 5;
const uniqueBytes = 17;

/** How many values of pending calls start with these bytes: requests and results that are kept. */
export async function countSealedStarts(db: Db): Promise<{ start: Uint8Array; count: number }[]> {
  const starts: { start: Uint8Array; count: number }[] = [];
  for (const column of ["sealed", "result"] as const) {
    const found = await toKysely(db)
      .selectFrom("pending_calls")
      .select(sql<Uint8Array>`substr(${sql.ref(column)}, 1, ${sql.lit(startBytes)})`.as("start"))
      .select((one) => one.fn.countAll<number>().as("count"))
      .where(sql<boolean>`length(${sql.ref(column)}) > 0`)
      .groupBy("start")
      .execute();
    for (const { start, count } of found) starts.push({ start, count: Number(count) });
  }
  return starts;
}

export type SealedPendingCall = Pick<PendingCall, "id" | "sealed" | "result">;

/** Pending calls of which a part does not start with these bytes, by id. Read in portions, because each may be large. */
export async function listOtherSealed(
  db: Db,
  { start, after, limit }: { start: Uint8Array; after: string; limit: number },
): Promise<SealedPendingCall[]> {
  const isOther = (column: "sealed" | "result") =>
    sql<boolean>`length(${sql.ref(column)}) > 0 and substr(${sql.ref(column)}, 1, ${sql.lit(startBytes)}) <> ${start}`;
  return await toKysely(db)
    .selectFrom("pending_calls")
    .select(["id", "sealed", "result"])
    .where("id", ">", after)
    .where((one) => one.or([isOther("sealed"), isOther("result")]))
    .orderBy("id")
    .limit(limit)
    .execute();
}

export type ResealedPendingCall = {
  id: string;
  from: Pick<SealedPendingCall, "sealed" | "result">;
  to: Pick<SealedPendingCall, "sealed" | "result"> & {
    /** Null if the request is not kept any more. */
    digest: { keyId: number; text: string } | null;
  };
};

/** Replaces what was sealed, but not what changed since it was read; returns the number of values. */
export async function replaceSealedPendingCall(
  trx: Transaction,
  { id, from, to }: ResealedPendingCall,
): Promise<number> {
  let replaced = 0n;
  if (from.sealed.length > 0) {
    const { numUpdatedRows } = await toKysely(trx)
      .updateTable("pending_calls")
      .set({
        sealed: to.sealed,
        ...(to.digest !== null && { digest: to.digest.text, digest_key: to.digest.keyId }),
      })
      .where("id", "=", id)
      .where(isSame("sealed", from.sealed))
      .executeTakeFirst();
    replaced += numUpdatedRows;
  }
  if (from.result !== null) {
    const { numUpdatedRows } = await toKysely(trx)
      .updateTable("pending_calls")
      .set({ result: to.result })
      .where("id", "=", id)
      .where(isSame("result", from.result))
      .executeTakeFirst();
    replaced += numUpdatedRows;
  }
  return Number(replaced);
}

/** Deletes what no key opens. A call that waits ends with it: it cannot be shown, nor made. */
export async function dropSealedPendingCall(
  trx: Transaction,
  { id, sealed }: SealedPendingCall,
): Promise<void> {
  const kysely = toKysely(trx);
  await kysely
    .updateTable("pending_calls")
    .set({ state: "ended", ended_reason: "its key was lost" })
    .where("id", "=", id)
    .where("state", "in", ["open", "approved"])
    .where(isSame("sealed", sealed))
    .execute();
  await kysely
    .updateTable("pending_calls")
    .set({ sealed: new Uint8Array(), result: null })
    .where("id", "=", id)
    .where(isSame("sealed", sealed))
    .execute();
}

function isSame(column: "sealed" | "result", value: Uint8Array) {
  const start = value.slice(0, uniqueBytes);
  return sql<boolean>`substr(${sql.ref(column)}, 1, ${sql.lit(uniqueBytes)}) = ${start}`;
}
