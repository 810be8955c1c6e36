import { expect, test } from "bun:test";
import { sql } from "kysely";
import { insertRow } from "../rows/rows-table.ts";
import { setTypeState } from "../rows/switches.ts";
import { listStoredSettings, setStoredSetting } from "../settings/settings-table.ts";
import type { Store } from "../store.ts";
import { newFinishedRun, newRow, newUser } from "../test-data.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { findSignInCounters, putSignInCounter } from "../users/sign-in-counters.ts";
import { insertUser, listUsers } from "../users/users-table.ts";
import { type Db, exclusiveTransaction, transaction } from "./database.ts";
import { toKysely } from "./kysely.ts";

/** Transactions: whole or not at all, run again after a conflict, and not waiting for themselves. */
export function describeTransactions(stores: () => TestStores): void {
  test("A transaction is stored completely or not at all", async () => {
    const { store } = stores();
    const half = transaction(store.db, async (trx) => {
      await insertUser(trx, newUser());
      await insertRow(trx, newRow());
      throw new Error("half way");
    });
    await expect(half).rejects.toThrow("half way");
    const counted = await sql<{ n: number }>`
      select (select count(*) from users) + (select count(*) from connector_rows) as n`.execute(
      toKysely(store.db),
    );
    expect(Number(counted.rows[0]?.n)).toBe(0);
  });

  test("Exclusive transactions of two processes wait for each other and do not conflict", async () => {
    const { store, openAnother } = stores();
    const dbs = [store.db, (await openAnother()).db];
    const at = Date.now();
    const key = (index: number) => `counter-${index % 2}`;
    let runs = 0;
    // Every second one has its keys in the other order.
    const countBoth = async (db: Db, keys: string[]) =>
      await exclusiveTransaction(db, keys, async (trx) => {
        runs += 1;
        for (const one of keys) {
          const before = (await findSignInCounters(trx, { keys: [one], at })).get(one);
          await putSignInCounter(trx, {
            key: one,
            account: null,
            failures: (before?.failures ?? 0) + 1,
            firstAt: at,
            lastAt: at,
            expiresAt: at + 1_000,
          });
        }
      });
    const counting = dbs.flatMap((db) =>
      Array.from({ length: 20 }, (_, index) => countBoth(db, [key(index), key(index + 1)])),
    );
    await Promise.all(counting);
    const counters = await findSignInCounters(store.db, { keys: [key(0), key(1)], at });
    expect([...counters.values()].map(({ failures }) => failures)).toEqual([40, 40]);
    expect(runs).toBe(40);
  });

  test("After a conflict a transaction runs again, and only its last run is stored", async () => {
    const { store, makeConflict } = stores();
    const conflict = await makeConflict();
    const seen: string[][] = [];
    const made = await transaction(store.db, async (trx) => {
      const user = newUser({ email: `attempt${seen.length}@example.com` });
      const { email } = await insertUser(trx, user);
      seen.push((await listUsers(trx)).map((one) => one.email));
      if (seen.length < 3) throw conflict;
      return email;
    });
    expect(made).toBe("attempt2@example.com");
    expect(seen).toEqual([0, 1, 2].map((attempt) => [`attempt${attempt}@example.com`]));
    expect(await listUsers(store.db)).toMatchObject([{ email: made }]);
  });

  test("After a conflict inside a function of the store, the outer transaction runs again", async () => {
    const { store, makeConflict } = stores();
    const conflict = await makeConflict();
    let outer = 0;
    let inner = 0;
    await transaction(store.db, async (trx) => {
      outer += 1;
      await transaction(trx, async () => {
        inner += 1;
        if (inner === 1) throw conflict;
      });
    });
    expect([outer, inner]).toEqual([2, 2]);
  });

  test("Many transactions at once that change the same things all succeed", async () => {
    const { db } = stores().store;
    const names = Array.from({ length: 150 }, (_, index) => `HUB_X${index}`);
    await Promise.all(names.map((name) => setStoredSetting(db, name, "1")));
    expect((await listStoredSettings(db)).size).toBe(150);
  });

  test("A transaction that conflicts five times fails with the last conflict", async () => {
    const { store, makeConflict } = stores();
    const conflict = await makeConflict();
    let attempts = 0;
    const failed = transaction(store.db, async (trx) => {
      attempts += 1;
      await setTypeState(trx, "http", true);
      throw conflict;
    });
    await expect(failed).rejects.toBe(conflict);
    expect(attempts).toBe(5);
    expect((await store.reads.loadSnapshot()).typeDisabled.size).toBe(0);
  });

  test("A transaction that fails for another reason does not run again", async () => {
    let attempts = 0;
    const failed = transaction(stores().store.db, async () => {
      attempts += 1;
      throw new Error("not a conflict");
    });
    await expect(failed).rejects.toThrow("not a conflict");
    expect(attempts).toBe(1);
  });

  const waitingForItself: Record<string, (store: Store) => Promise<unknown>> = {
    "another transaction": (store) => transaction(store.db, async () => {}),
    "the store's db": (store) => setTypeState(store.db, "http", true),
    "the run recorder": (store) => store.runs.insertFinished(newFinishedRun()),
  };
  for (const [name, use] of Object.entries(waitingForItself)) {
    test(`${name} inside a transaction is refused without a wait`, async () => {
      const { store } = stores();
      const refused = transaction(store.db, () => use(store));
      await expect(refused).rejects.toThrow(/[Ii]nside a transaction|internal error/);
      await transaction(store.db, (trx) => setTypeState(trx, "http", true));
    });
  }

  test("A run inside a transaction is refused even while other runs wait", async () => {
    const { store } = stores();
    const begun = Promise.withResolvers<void>();
    const othersWait = Promise.withResolvers<void>();
    const changing = transaction(store.db, async () => {
      begun.resolve();
      await othersWait.promise;
      await store.runs.insertFinished(newFinishedRun());
    });
    await begun.promise;
    const other = store.runs.insertFinished(newFinishedRun());
    othersWait.resolve();
    await expect(changing).rejects.toThrow("Inside a transaction");
    await other;
  });

  test("Work that a transaction started may use the store after the transaction", async () => {
    const { store } = stores();
    const over = Promise.withResolvers<void>();
    let late: Promise<void> | undefined;
    await transaction(store.db, async () => {
      late = over.promise.then(() => setTypeState(store.db, "http", true));
    });
    over.resolve();
    await late;
    expect((await store.reads.loadSnapshot()).typeDisabled.has("http")).toBe(true);
  });

  test("A run waits for a concurrent transaction and is not rolled back with it", async () => {
    const { store } = stores();
    const begun = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const changing = transaction(store.db, async (trx) => {
      await setTypeState(trx, "http", true);
      begun.resolve();
      await end.promise;
      throw new Error("taken back");
    });
    await begun.promise;
    const run = newFinishedRun();
    const recorded = store.runs.insertFinished(run);
    end.resolve();
    await expect(changing).rejects.toThrow("taken back");
    await recorded;
    const found = await toKysely(store.db).selectFrom("connector_runs").select("id").execute();
    expect(found).toEqual([{ id: run.id }]);
  });
}
