import { expect, test } from "bun:test";
import { transaction } from "../database/database.ts";
import { insertTestPendingCall } from "../testing/new-pending-call.ts";
import { runSql } from "../testing/run-sql.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { findPendingCall } from "./pending-calls-table.ts";
import {
  countSealedStarts,
  dropSealedPendingCall,
  listOtherSealed,
  replaceSealedPendingCall,
} from "./sealed-pending-calls.ts";

/** What pending calls have sealed, as a rotation of the keys sees it. */
export function describeSealedPendingCalls(stores: () => TestStores): void {
  const db = () => stores().store.db;
  const toSealed = (key: number, rest: number) =>
    Uint8Array.from([1, 0, 0, 0, key, ...Array<number>(40).fill(rest)]);
  const start = (key: number) => toSealed(key, 0).slice(0, 5);

  /** A pending call whose request and result are sealed with these keys. */
  async function add(sealed: number, result: number | null): Promise<string> {
    const { id } = await insertTestPendingCall(db(), { sealed: toSealed(sealed, 7) });
    const bytes = result === null ? null : toSealed(result, 8);
    await runSql(db(), `update pending_calls set result = ? where id = '${id}'`, bytes);
    return id;
  }

  test("Values of pending calls are counted by key, and those of other keys are listed in portions", async () => {
    await runSql(db(), "delete from pending_calls");
    const ids = [await add(5, null), await add(5, 6), await add(6, 6)].sort();
    const counts = new Map<number, number>();
    for (const { start: found, count } of await countSealedStarts(db())) {
      const key = found[4] ?? 0;
      counts.set(key, (counts.get(key) ?? 0) + count);
    }
    expect(counts).toEqual(
      new Map([
        [5, 2],
        [6, 3],
      ]),
    );
    const first = await listOtherSealed(db(), { start: start(7), after: "", limit: 2 });
    expect(first.map(({ id }) => id)).toEqual(ids.slice(0, 2));
    const after = ids[1] ?? "";
    const next = await listOtherSealed(db(), { start: start(7), after, limit: 2 });
    expect(next.map(({ id }) => id)).toEqual(ids.slice(2));
    expect(await listOtherSealed(db(), { start: start(6), after: "", limit: 9 })).toHaveLength(2);
  });

  test("A value that changed since it was read is not replaced, and a lost one ends its call", async () => {
    await runSql(db(), "delete from pending_calls");
    const id = await add(5, 5);
    const from = { sealed: toSealed(5, 7), result: toSealed(5, 8) };
    const digest = { keyId: 6, text: "again" };
    const to = { sealed: toSealed(6, 7), result: toSealed(6, 8), digest };
    const replace = () =>
      transaction(db(), (trx) => replaceSealedPendingCall(trx, { id, from, to }));
    expect([await replace(), await replace()]).toEqual([2, 0]);
    const present = await findPendingCall(db(), id);
    expect(present).toMatchObject({ digestKey: 6, digest: "again" });
    expect(present?.result).toEqual(toSealed(6, 8));
    await transaction(db(), (trx) => dropSealedPendingCall(trx, { id, ...from }));
    expect((await findPendingCall(db(), id))?.state).toBe("open");
    await transaction(db(), (trx) => dropSealedPendingCall(trx, { id, ...to }));
    expect(await findPendingCall(db(), id)).toMatchObject({ state: "ended", result: null });
  });
}
