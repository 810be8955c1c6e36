/**
 * Protects: through every member of the operations, a row that the caller may not see looks like a
 * row that never existed. Each new member needs an entry in the table below.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { setOperationState } from "../store/states.ts";
import { openTestOperations, toTestCall } from "./open-test-operations.ts";
import type { CallContext, Operations } from "./operations.ts";

type Hub = Awaited<ReturnType<typeof openTestOperations>>;
type Answer = { answer: unknown } | { refusal: unknown };

type Member = {
  /** Asks about one tool and returns everything that the caller learns. */
  ask(operations: Operations, ctx: CallContext, toolId: string): Promise<unknown>;
  /** Whether the answer contains data of rows. */
  returnsRows: boolean;
};

const label = "Unmistakable";
const members: Record<keyof Operations, Member> = {
  execute: {
    ask: (operations, ctx, toolId) => operations.execute(ctx, { toolId, params: {} }),
    returnsRows: true,
  },
  test: {
    ask: (operations, ctx, toolId) => operations.test(ctx, { toolId, params: {} }),
    returnsRows: true,
  },
  checkHealth: {
    ask: (operations, ctx, toolId) => operations.checkHealth(ctx, toRowId(toolId)),
    returnsRows: true,
  },
  discover: {
    ask: (operations, ctx, toolId) => operations.discover(ctx, { rowId: toRowId(toolId) }),
    returnsRows: true,
  },
  findServers: {
    ask: (operations, ctx, toolId) => operations.findServers(ctx, { rowId: toRowId(toolId) }),
    returnsRows: true,
  },
  lookUp: {
    ask: (operations, ctx, toolId) =>
      operations.lookUp(ctx, { rowId: toRowId(toolId), source: "things", query: "" }),
    returnsRows: true,
  },
  cancel: {
    // It takes run ids only, which cannot be guessed.
    ask: async (operations, _ctx, toolId) => operations.cancel(toRowId(toolId), "Enough."),
    returnsRows: false,
  },
  countRunning: { ask: async (operations) => operations.countRunning(), returnsRows: false },
  record: {
    // Returns its caller's value and the id of its run, which differs for each call.
    async ask(operations, ctx, toolId) {
      const call = { operationKey: "hub_get", request: { toolId } };
      const { value, text } = await operations.record(ctx, call, async () => null);
      return { value, text };
    },
    returnsRows: false,
  },
  executeTask: {
    // It has no row, so it opens no token that is bound to one.
    async ask(operations, ctx, toolId) {
      const limits = { timeoutMs: 60_000, resultBytesMax: 1024 };
      const task = { operationKey: "http", name: "request", params: { toolId }, fields: [] };
      const run = async () => null;
      const { value, text } = await operations.executeTask(ctx, { ...task, ...limits, run });
      return { value, text };
    },
    returnsRows: false,
  },
  listTools: { ask: (operations, { caller }) => operations.listTools(caller), returnsRows: true },
  searchTools: {
    ask: (operations, { caller }) => operations.searchTools(caller, { query: label }),
    returnsRows: true,
  },
  prepareSearch: {
    ask: ({ prepareSearch }) => prepareSearch().then(() => null),
    returnsRows: false,
  },
  checkCall: {
    ask: (operations, ctx, toolId) => operations.checkCall(ctx, { toolId, params: {} }),
    returnsRows: true,
  },
  getTool: {
    ask: (operations, { caller }, toolId) => operations.getTool(caller, toolId),
    returnsRows: true,
  },
};

const toRowId = (toolId: string) => toolId.split(/[:/]/)[1] ?? "";

let runs = 0;
const connector = defineConnector({
  key: "fixture",
  name: "Fixture",
  icon: "box",
  tier: "builtin",
  description: "A connector for tests.",
  config: {},
  health() {
    runs += 1;
    return { ok: false, reason: label };
  },
  lookup() {
    runs += 1;
    return [{ id: "1", name: label }];
  },
  operations: {
    read: {
      description: "Counts its runs.",
      input: { Author: wick("picker=things") },
      run() {
        runs += 1;
        return { label };
      },
    },
  },
});

let hub: Hub;
let hiddenId: string;
beforeAll(async () => {
  hub = await openTestOperations(connector);
  hiddenId = await hub.addRow({ tags: ["vault"], label });
});
afterAll(() => hub.close());

async function ask(member: keyof Operations, tags: string[], rowId: string): Promise<Answer> {
  try {
    const answer = await members[member].ask(
      hub.operations,
      toTestCall(tags),
      `conn:${rowId}/read`,
    );
    return { answer };
  } catch (thrown) {
    // A HubError's own properties, as transports show them.
    return { refusal: { ...Object(thrown), message: String(thrown) } };
  }
}

test("The table lists every member of the operations", () => {
  expect(Object.keys(hub.operations).sort()).toEqual(Object.keys(members).sort());
});

// Each name is a key of the record.
describe.each(Object.keys(members) as Array<keyof Operations>)("%s", (member) => {
  test("A hidden row gets the same answer as a row that does not exist, and no operation runs", async () => {
    const absentId = crypto.randomUUID();
    const before = runs;
    const [hidden, absent] = [
      await ask(member, ["lab"], hiddenId),
      await ask(member, ["lab"], absentId),
    ];
    expect(JSON.stringify(hidden)).not.toContain(label);
    expect(JSON.parse(JSON.stringify(hidden).replaceAll(hiddenId, absentId))).toEqual(
      JSON.parse(JSON.stringify(absent)),
    );
    expect(runs).toBe(before);
  });

  test("A user who shares a tag with the row sees it, if the member returns data of rows", async () => {
    const output = JSON.stringify(await ask(member, ["vault"], hiddenId));
    expect(output.includes(label)).toBe(members[member].returnsRows);
  });

  test("A hidden row gets the same answer when it is disabled", async () => {
    const before = await ask(member, ["lab"], hiddenId);
    await setOperationState(hub.store.db, hiddenId, "read", false, Date.now());
    const after = await ask(member, ["lab"], hiddenId);
    await setOperationState(hub.store.db, hiddenId, "read", true, Date.now());
    expect(after).toEqual(before);
  });
});
