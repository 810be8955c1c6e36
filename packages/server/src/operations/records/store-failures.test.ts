/**
 * Protects: no call runs unrecorded. While the database cannot be written, calls fail and say why.
 * Afterwards, the hub recovers without a restart.
 */
import { Database } from "bun:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { defineConnector } from "@hub/connector";
import { HubError } from "../../errors.ts";
import { runSql } from "../../store/testing/run-sql.ts";
import { openTestOperations, toTestCall } from "../testing/open-test-operations.ts";

/** The number of runs of the operation, and a step during the run. */
let runs = 0;
let meanwhile: () => Promise<void>;

const connector = defineConnector({
  key: "counter",
  name: "Counter",
  icon: "box",
  tier: "builtin",
  description: "A connector for tests.",
  config: {},
  operations: {
    tally: {
      description: "Counts its runs.",
      async run() {
        runs += 1;
        await meanwhile();
        // So long that it does not fit into the free space of an existing page.
        return { runs, text: "x".repeat(3000) };
      },
    },
  },
});

let resources: AsyncDisposableStack;
let hub: Awaited<ReturnType<typeof openTestOperations>>;
let rowId: string;
beforeEach(async () => {
  resources = new AsyncDisposableStack();
  hub = await openTestOperations(connector, { busyWaitMsMax: 5 });
  resources.defer(() => hub.close());
  rowId = await hub.addRow({ tags: ["lab"] });
  runs = 0;
  meanwhile = async () => {};
});
afterEach(() => resources.disposeAsync());

/** The client's result: `success` or the error message. */
async function call(): Promise<string> {
  const request = { toolId: `conn:${rowId}/tally`, params: {} };
  try {
    await hub.operations.calls.call(toTestCall(["lab"]), request);
    return "success";
  } catch (thrown) {
    return thrown instanceof HubError ? `${thrown.code}: ${thrown.message}` : String(thrown);
  }
}

const callMany = (count: number) => Promise.all(Array.from({ length: count }, call));

/** The statuses of the runs that began, newest first. Other runs have the status error. */
async function listBegun(): Promise<string[]> {
  return (await hub.listRuns())
    .filter(({ operationKey }) => operationKey === "tally")
    .map(({ status }) => status)
    .filter((status) => status === "success" || status === "running");
}

type StoreFault = { says: RegExp; begin(): Promise<() => Promise<void>> };

const storeFaults: Record<string, StoreFault> = {
  "a full disk": {
    says: /^unavailable: The hub cannot save anything: its disk is full\. Ask an admin/,
    async begin() {
      const setPagesMax = (pages: number) =>
        runSql(hub.store.db, `pragma max_page_count = ${pages}`);
      await setPagesMax(1);
      // This fills the free space of existing pages too.
      await fillUp();
      return async () => void (await setPagesMax(1_000_000));
    },
  },
  "a database that another program keeps locked": {
    says: /^unavailable: The hub cannot save anything: another program keeps its database locked\./,
    async begin() {
      const other = new Database(join(hub.dataDir, "hub.sqlite"));
      resources.defer(() => other.close());
      other.run("begin immediate");
      return async () => void other.run("rollback");
    },
  },
};

describe.each(Object.entries(storeFaults))("%s", (_, { says, begin }) => {
  test("Calls fail before they run, say what to do, and succeed again afterwards", async () => {
    expect(await call()).toBe("success");
    const end = await begin();
    for (const answer of [await call(), ...(await callMany(20))]) expect(answer).toMatch(says);
    expect(runs).toBe(1);
    expect(await listBegun()).toEqual(["success"]);
    await end();
    expect(await callMany(3)).toEqual(["success", "success", "success"]);
    expect([runs, await listBegun()]).toEqual([4, Array(4).fill("success")]);
  });

  test("If it happens while an operation runs, the client gets an error, and the run gets its outcome later", async () => {
    let end = async () => {};
    meanwhile = async () => {
      end = await begin();
    };
    // "Try again" alone would repeat the operation.
    const [, warned, reason] = /^(.*repeat the call\.) The cause: (.*)$/.exec(await call()) ?? [];
    expect(warned).toStartWith("unavailable: The operation ended and may have taken effect");
    expect(`unavailable: ${reason}`).toMatch(says);
    expect([runs, await listBegun()]).toEqual([1, ["running"]]);
    await end();
    // No further call is made: the hub must retry without one.
    while ((await listBegun())[0] === "running") await new Promise((done) => setImmediate(done));
    expect(await listBegun()).toEqual(["success"]);
  });

  test("Calls without an operation fail too", async () => {
    const end = await begin();
    const list = () =>
      hub.operations.records.record(
        toTestCall(["lab"]),
        { operationKey: "hub_list", request: {} },
        async () => [],
      );
    const failure = await list().catch((thrown: HubError) => `${thrown.code}: ${thrown.message}`);
    expect(failure).toMatch(says);
    await end();
    expect((await list()).value).toEqual([]);
  });
});

/** Writes short rows until the database is full. */
async function fillUp(): Promise<void> {
  for (;;) {
    const answer = await hub.operations.records
      .record(toTestCall(), { operationKey: "filler", request: {} }, async () => null)
      .catch(() => null);
    if (answer === null) return;
  }
}
