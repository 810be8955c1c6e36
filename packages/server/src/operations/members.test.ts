/**
 * Protects: whatever a door asks of the operations, a row that its caller may not see is as absent
 * as one that never was. A new member has to say here how it is asked about a row.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { setOperationState } from "../store/states.ts";
import { openTestOperations, toTestCall } from "./open-test-operations.ts";
import type { CallContext, Operations } from "./operations.ts";

type Hub = Awaited<ReturnType<typeof openTestOperations>>;
type Answer = { answer: unknown } | { refusal: unknown };

type Member = {
  /** Asks about one tool, and answers all that the caller gets to know. */
  ask(operations: Operations, ctx: CallContext, toolId: string): Promise<unknown>;
  /** Whether the answer tells of rows at all. */
  tellsOfRows: boolean;
};

const label = "Unmistakable";
const members: Record<keyof Operations, Member> = {
  execute: {
    ask: (operations, ctx, toolId) => operations.execute(ctx, { toolId, params: {} }),
    tellsOfRows: true,
  },
  test: {
    ask: (operations, ctx, toolId) => operations.test(ctx, { toolId, params: {} }),
    tellsOfRows: true,
  },
  checkHealth: {
    ask: (operations, ctx, toolId) => operations.checkHealth(ctx, toRowId(toolId)),
    tellsOfRows: true,
  },
  lookUp: {
    ask: (operations, ctx, toolId) =>
      operations.lookUp(ctx, { rowId: toRowId(toolId), source: "things", query: "" }),
    tellsOfRows: true,
  },
  cancel: {
    // Knows runs alone, by ids that nobody guesses.
    ask: async (operations, _ctx, toolId) => operations.cancel(toRowId(toolId), "Enough."),
    tellsOfRows: false,
  },
  record: {
    // Answers what its caller gives it, and the id of its run, which is another one each time.
    async ask(operations, ctx, toolId) {
      const call = { operationKey: "hub_get", request: { toolId } };
      const { value, text } = await operations.record(ctx, call, async () => null);
      return { value, text };
    },
    tellsOfRows: false,
  },
  listTools: { ask: (operations, { caller }) => operations.listTools(caller), tellsOfRows: true },
  searchTools: {
    ask: (operations, { caller }) => operations.searchTools(caller, { query: label }),
    tellsOfRows: true,
  },
  getTool: {
    ask: (operations, { caller }, toolId) => operations.getTool(caller, toolId),
    tellsOfRows: true,
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
    // The properties of a HubError, which are what a door shows.
    return { refusal: { ...Object(thrown), message: String(thrown) } };
  }
}

test("every member is in the table", () => {
  expect(Object.keys(hub.operations).sort()).toEqual(Object.keys(members).sort());
});

// Each name is a key of the record.
describe.each(Object.keys(members) as Array<keyof Operations>)("%s", (member) => {
  test("tells of a hidden row what it tells of one that is not there, and runs nothing", async () => {
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

  test("tells of the row to who shares a tag with it, if it tells of rows at all", async () => {
    const told = JSON.stringify(await ask(member, ["vault"], hiddenId));
    expect(told.includes(label)).toBe(members[member].tellsOfRows);
  });

  test("says no more of a hidden row that is switched off", async () => {
    const before = await ask(member, ["lab"], hiddenId);
    await setOperationState(hub.store.db, hiddenId, "read", false, Date.now());
    const after = await ask(member, ["lab"], hiddenId);
    await setOperationState(hub.store.db, hiddenId, "read", true, Date.now());
    expect(after).toEqual(before);
  });
});
