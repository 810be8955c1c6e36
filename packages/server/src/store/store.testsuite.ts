import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { sql } from "kysely";
import { describeChanges } from "./changes-table.testsuite.ts";
import { describeApprovalMessages } from "./channels/approval-messages.testsuite.ts";
import { describeChannels } from "./channels/channels.testsuite.ts";
import { describeChatAccounts } from "./channels/chat-accounts-table.testsuite.ts";
import { type Db, exclusiveTransaction, transaction } from "./database/database.ts";
import { inSnapshot, toKysely } from "./database/kysely.ts";
import { describeOAuth } from "./oauth/oauth.testsuite.ts";
import { describePlugins } from "./plugins/plugins.testsuite.ts";
import { describeRowConnections } from "./rows/row-connections.testsuite.ts";
import { describeRowOperations } from "./rows/row-operations-table.testsuite.ts";
import { describeRows } from "./rows/rows-table.testsuite.ts";
import { deleteRow, insertRow, putRowValues, setRowTags, updateRow } from "./rows/rows-table.ts";
import { setOperationState, setTypeState } from "./rows/switches.ts";
import { describeRunHolders } from "./runs/run-holders.testsuite.ts";
import { describeRunPages } from "./runs/run-pages.testsuite.ts";
import { describeRuns } from "./runs/runs-table.testsuite.ts";
import { cancelInterruptedRuns, purgeRuns } from "./runs/runs-table.ts";
import { describeEmbeddings } from "./search/embeddings.testsuite.ts";
import { beatInstance, insertInstance, removeInstances } from "./servers/instances.ts";
import { describeServers } from "./servers/servers.testsuite.ts";
import { describeHubIds } from "./settings/hub-id.testsuite.ts";
import {
  claimSetting,
  findSetting,
  listStoredSettings,
  putSetting,
  setStoredSetting,
} from "./settings/settings-table.ts";
import type { Store } from "./store.ts";
import { ensureTags } from "./tags/tags-table.ts";
import { newFinishedRun, newRow, newToken, newUser, outcome } from "./test-data.ts";
import type { TestStores } from "./testing/test-stores.ts";
import { describeAccounts } from "./users/accounts.testsuite.ts";
import {
  findSignInCounters,
  listSignInCounters,
  putSignInCounter,
} from "./users/sign-in-counters.ts";
import { insertToken, revokeToken, touchTokens } from "./users/tokens-table.ts";
import { insertUser, listUsers, setUserTags, updateUser } from "./users/users-table.ts";
import { describeAcceptedRuns } from "./workflow-runs/accepted-runs.testsuite.ts";
import { describeWorkflowApprovals } from "./workflow-runs/workflow-approvals-table.testsuite.ts";
import { describeWorkflowRuns } from "./workflow-runs/workflow-runs-table.testsuite.ts";
import { describeWorkflowSteps } from "./workflow-runs/workflow-steps.testsuite.ts";
import { describeWebhookRequests } from "./workflows/webhook-requests.testsuite.ts";
import { describeWorkflowBodies } from "./workflows/workflow-bodies.testsuite.ts";
import { describeWorkflowSecrets } from "./workflows/workflow-secrets.testsuite.ts";
import { describeWorkflowTriggers } from "./workflows/workflow-triggers.testsuite.ts";
import { describeWorkflows } from "./workflows/workflows-table.testsuite.ts";

/** The contract of every database that the hub supports. */
export function describeStore(name: string, open: () => Promise<TestStores>): void {
  describe(`the store on ${name}`, () => {
    let stores: TestStores;

    beforeEach(async () => {
      stores = await open();
    });
    afterEach(async () => {
      await stores.remove();
    });

    describeAccounts(() => stores);
    describeRows(() => stores);
    describeRowOperations(() => stores);
    describeRowConnections(() => stores);
    describeHubIds(() => stores);
    describe("channels", () => describeChannels(() => stores));

    describeRuns(() => stores);
    describeRunPages(() => stores);
    describeRunHolders(() => stores);
    describeChanges(() => stores);
    describeOAuth(() => stores);
    describeEmbeddings(() => stores);
    describeServers(() => stores);
    describePlugins(() => stores);
    describe("runs of workflows", () => {
      describeAcceptedRuns(() => stores);
      describeWorkflowRuns(() => stores);
      describeWorkflowSteps(() => stores);
    });
    describe("approvals of workflows", () => describeWorkflowApprovals(() => stores));
    describe("messages of approvals", () => describeApprovalMessages(() => stores));
    describeWorkflows(() => stores);
    describeWorkflowBodies(() => stores);
    describeWorkflowSecrets(() => stores);
    describeWebhookRequests(() => stores);
    describeChatAccounts(() => stores);
    describe("triggers of workflows", () => describeWorkflowTriggers(() => stores));
    describeRevision(() => stores);
    describeKeptReads(() => stores);
    describeTransactions(() => stores);

    test("A stored setting is in the list and the snapshot until it is deleted", async () => {
      const { db, reads } = stores.store;
      await putSetting(db, "first-start", "yes");
      await setStoredSetting(db, "HUB_X", "1");
      await setStoredSetting(db, "HUB_X", "2");
      expect(await listStoredSettings(db)).toEqual(new Map([["HUB_X", "2"]]));
      expect((await reads.loadSnapshot()).settings).toEqual(new Map([["HUB_X", "2"]]));
      await setStoredSetting(db, "HUB_X", null);
      expect(await listStoredSettings(db)).toEqual(new Map());
      expect((await reads.loadSnapshot()).settings).toEqual(new Map());
    });

    test("A setting is stored and replaced", async () => {
      const { db } = stores.store;
      expect(await findSetting(db, "first-start")).toBeNull();
      await putSetting(db, "first-start", "yes");
      await putSetting(db, "first-start", "no");
      expect(await findSetting(db, "first-start")).toBe("no");
    });

    test("Only one of several concurrent claims stores a setting", async () => {
      const { db } = stores.store;
      const values = ["a", "b", "c"];
      const claims = await Promise.all(values.map((value) => claimSetting(db, "claimed", value)));
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await findSetting(db, "claimed")).toBe(values[claims.indexOf(true)] ?? "");
      expect(await claimSetting(db, "claimed", "d")).toBeFalse();
    });
  });
}

function describeRevision(stores: () => TestStores): void {
  type Change = (ids: { user: string; row: string; token: string; db: Db }) => Promise<unknown>;

  const configuration: Record<string, Change> = {
    "a new user": ({ db }) => insertUser(db, newUser({ email: "other@example.com" })),
    "a changed user": ({ db, user }) => updateUser(db, user, { status: "disabled" }, Date.now()),
    "a user's tags": ({ db, user }) => setUserTags(db, user, [], Date.now()),
    "a new tag": ({ db }) => ensureTags(db, ["brand-new"], Date.now()),
    "a new row": ({ db }) => insertRow(db, newRow()),
    "a changed row": ({ db, row }) => updateRow(db, row, { disabled: true }, Date.now()),
    "a row's tags": ({ db, row }) => setRowTags(db, row, [], Date.now()),
    "a row's values": ({ db, row }) => putRowValues(db, row, [], Date.now()),
    "a deleted row": ({ db, row }) => deleteRow(db, row),
    "an operation's state": ({ db, row }) => setOperationState(db, row, "get", false, Date.now()),
    "a connector type's state": ({ db }) => setTypeState(db, "http", true),
    "a stored setting": ({ db }) => setStoredSetting(db, "HUB_X", "1"),
    "a stored setting forgotten": ({ db }) => setStoredSetting(db, "HUB_X", null),
  };
  const otherWrites: Record<string, Change> = {
    "a change of a user who is not there": ({ db }) =>
      updateUser(db, "nobody", { name: "x" }, Date.now()),
    "tags for a user who is not there": ({ db }) => setUserTags(db, "nobody", ["ops"], Date.now()),
    "tags that are there already": ({ db }) => ensureTags(db, ["ops", "everyone"], Date.now()),
    "a change of a row that is not there": ({ db }) =>
      updateRow(db, "none", { label: "x" }, Date.now()),
    "a delete of a row that is not there": ({ db }) => deleteRow(db, "none"),
    "values for a row that is not there": ({ db }) => putRowValues(db, "none", [], Date.now()),
    "a state for a row that is not there": ({ db }) =>
      setOperationState(db, "none", "get", true, Date.now()),
    "a new token": ({ db, user }) => insertToken(db, newToken(user, 2)),
    "a revoked token": ({ db, token }) => revokeToken(db, token, Date.now()),
    "a used token": ({ db, token }) => touchTokens(db, [{ id: token, at: 1 }]),
    "a run": () => stores().store.runs.insertFinished(newFinishedRun()),
    "a purge": ({ db }) => purgeRuns(db, { endedBefore: outcome.endedAt + 1, limit: 10 }),
    "a clean-up": ({ db }) => cancelInterruptedRuns(db, { dead: ["i"], at: Date.now() }),
    "a heartbeat": async ({ db }) => {
      await insertInstance(db, { id: "i", kind: "cli", pid: 1, hostname: "h", startedAt: 1 });
      await beatInstance(db, "i", 2);
      await removeInstances(db, ["i"]);
    },
    "a fact that is recorded": ({ db }) => putSetting(db, "key", "value"),
  };

  async function countBumps(change: Change): Promise<number> {
    const { db, reads, runs } = stores().store;
    const user = await insertUser(db, newUser({ tags: ["ops"] }));
    const row = await insertRow(db, newRow());
    const token = await insertToken(db, newToken(user.id, 1));
    await runs.insertFinished(newFinishedRun());
    const before = await reads.readRevision();
    await change({ user: user.id, row: row.id, token: token.id, db });
    return (await reads.readRevision()) - before;
  }

  for (const [name, change] of Object.entries(configuration)) {
    test(`${name} increments the revision`, async () => {
      expect(await countBumps(change)).toBeGreaterThan(0);
    });
  }
  for (const [name, change] of Object.entries(otherWrites)) {
    test(`${name} does not increment the revision`, async () => {
      expect(await countBumps(change)).toBe(0);
    });
  }

  test("A database that goes on from an earlier state gives no revision again", async () => {
    const { db, reads } = stores().store;
    await setTypeState(db, "http", true);
    const before = await reads.readRevision();
    // A standby that lacks the last commits, or a backup.
    await toKysely(db).updateTable("revision").set({ value: 1 }).execute();
    await setTypeState(db, "http", false);
    expect(await reads.readRevision()).toBeGreaterThanOrEqual(before);
  });

  test("A rolled-back change does not increment the revision", async () => {
    const { db, reads } = stores().store;
    const before = await reads.readRevision();
    const taken = transaction(db, async (trx) => {
      await setTypeState(trx, "http", true);
      throw new Error("on second thoughts");
    });
    await expect(taken).rejects.toThrow("on second thoughts");
    expect(await reads.readRevision()).toBe(before);
  });

  test("A commit of another store is visible to the next read", async () => {
    const { reads } = stores().store;
    const another = await stores().openAnother();
    const atFirst = await reads.readRevision();
    await setTypeState(another.db, "http", true);
    await nextTurn();
    expect(await reads.readRevision()).toBeGreaterThan(atFirst);
    expect((await reads.loadSnapshot()).typeDisabled).toEqual(new Set(["http"]));
  });
}

/** What another process commits is seen by the requests of the next turn of the event loop. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function describeKeptReads(stores: () => TestStores): void {
  /** A token, and its owner as the store that is tested reads it. */
  async function openToken() {
    const { db, reads } = stores().store;
    const user = await insertUser(db, newUser({ tags: ["ops"] }));
    const { tokenHash, ...token } = newToken(user.id, 1);
    const { id } = await insertToken(db, { ...token, tokenHash });
    const findStatus = async () => (await reads.findTokenOwner(tokenHash))?.status;
    return { user, id, tokenHash, findStatus };
  }

  test("The owner of a token is current after a change by the same store", async () => {
    const { db, reads } = stores().store;
    const { user, id, tokenHash, findStatus } = await openToken();
    expect(await findStatus()).toBe("active");
    await updateUser(db, user.id, { status: "disabled" }, Date.now());
    expect(await findStatus()).toBe("disabled");
    await revokeToken(db, id, 5);
    expect((await reads.findTokenOwner(tokenHash))?.revokedAt).toBe(5);
  });

  test("The owner of a token is current after a change by another store", async () => {
    const { user, findStatus } = await openToken();
    const another = await stores().openAnother();
    expect(await findStatus()).toBe("active");
    await updateUser(another.db, user.id, { status: "disabled" }, Date.now());
    await nextTurn();
    expect(await findStatus()).toBe("disabled");
  });

  test("The owner of a token is current while a snapshot of the database is open", async () => {
    const { db } = stores().store;
    const { user, findStatus } = await openToken();
    const another = await stores().openAnother();
    await inSnapshot(db, async (kysely) => {
      await kysely.selectFrom("users").selectAll().execute();
      expect(await findStatus()).toBe("active");
      await updateUser(another.db, user.id, { status: "disabled" }, Date.now());
      expect(await findStatus()).toBe("disabled");
    });
    expect(await findStatus()).toBe("disabled");
  });

  test("An unknown token that is created later is found", async () => {
    const { db, reads } = stores().store;
    const user = await insertUser(db, newUser());
    const token = newToken(user.id, 1);
    expect(await reads.findTokenOwner(token.tokenHash)).toBeNull();
    await insertToken(db, token);
    expect(await reads.findTokenOwner(token.tokenHash)).not.toBeNull();
  });
}

function describeTransactions(stores: () => TestStores): void {
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

  test("Sign-in counters are listed by their prefix, those with the most failures first", async () => {
    const { store } = stores();
    const at = Date.now();
    const put = (key: string, failures: number, expiresAt = at + 1_000) =>
      putSignInCounter(store.db, {
        key,
        account: key,
        failures,
        firstAt: at,
        lastAt: at,
        expiresAt,
      });
    expect(await listSignInCounters(store.db, { prefix: "list:", at, limit: 2 })).toEqual({
      counters: [],
      failures: 0,
    });
    await put("list:a", 1);
    await put("list:b", 3);
    await put("list:c", 2);
    await put("list:expired", 9, at);
    await put("listed:d", 9);
    const { counters, failures } = await listSignInCounters(store.db, {
      prefix: "list:",
      at,
      limit: 2,
    });
    expect([counters.map(({ key }) => key), failures]).toEqual([["list:b", "list:c"], 6]);
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
