import { expect, test } from "bun:test";
import { waitUntil } from "../../lib/testing/wait-until.ts";
import { type Db, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { deleteRow, insertRow, putRowValues, setRowTags, updateRow } from "../rows/rows-table.ts";
import { setOperationState, setTypeState } from "../rows/switches.ts";
import { cancelInterruptedRuns, purgeRuns } from "../runs/runs-table.ts";
import { beatInstance, insertInstance, removeInstances } from "../servers/instances.ts";
import { ensureTags } from "../tags/tags-table.ts";
import { newFinishedRun, newRow, newToken, newUser, outcome } from "../test-data.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { waitForCommits } from "../testing/wait-for-commits.ts";
import { insertToken, revokeToken, touchTokens } from "../users/tokens-table.ts";
import { insertUser, setUserTags, updateUser } from "../users/users-table.ts";
import { putSetting, setStoredSetting } from "./settings-table.ts";

/** Which writes increment the revision, and who sees it. */
export function describeRevision(stores: () => TestStores): void {
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
    // Revisions given in one millisecond run ahead of the clock.
    await waitUntil(() => Date.now() >= before);
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
    await waitForCommits();
    expect(await reads.readRevision()).toBeGreaterThan(atFirst);
    expect((await reads.loadSnapshot()).typeDisabled).toEqual(new Set(["http"]));
  });
}
