/**
 * Protects: through every member of the operations, a row that the caller may not see looks like a
 * row that never existed. Each new member needs an entry in the table below.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { setOperationState } from "../../store/rows/switches.ts";
import type { CallContext } from "../operations.ts";
import type { Operations } from "../ports.ts";
import { openTestOperations, toTestCall } from "../testing/open-test-operations.ts";

type Hub = Awaited<ReturnType<typeof openTestOperations>>;
type Answer = { answer: unknown } | { refusal: unknown };

/** Every member of every port. */
type MemberName = {
  [Port in keyof Operations]: `${Port}.${keyof Operations[Port] & string}`;
}[keyof Operations];

type Member = {
  /** Asks about one tool and returns everything that the caller learns. */
  ask(operations: Operations, ctx: CallContext, toolId: string): Promise<unknown>;
  /** Whether the answer contains data of rows. */
  returnsRows: boolean;
};

const label = "Unmistakable";
const members: Record<MemberName, Member> = {
  "calls.call": {
    ask: (operations, ctx, toolId) => operations.calls.call(ctx, { toolId, params: {} }),
    returnsRows: true,
  },
  "calls.tryOut": {
    ask: (operations, ctx, toolId) => operations.calls.tryOut(ctx, { toolId, params: {} }),
    returnsRows: true,
  },
  "batches.read": {
    async ask(operations, ctx, toolId) {
      const calls = [{ toolId, params: {} }];
      const { value, text, isError } = await operations.batches.read(ctx, { calls });
      return { value, text, isError };
    },
    returnsRows: true,
  },
  "batches.tryOut": {
    async ask(operations, ctx, toolId) {
      const calls = [{ toolId, params: {} }];
      const { value, text, isError } = await operations.batches.tryOut(ctx, { calls });
      return { value, text, isError };
    },
    returnsRows: true,
  },
  "rights.checkTargets": {
    // As of a call that was admitted before. It answers with the given keys.
    async ask(operations, { caller }, toolId) {
      const row = { id: toRowId(toolId) };
      // Only the id of the row matters here.
      const target = { path: "client", caller, row, connector: null, operation: null } as never;
      const findCaller = async () => caller;
      const lost = await operations.rights.checkTargets({ findCaller }, new Map([["key", target]]));
      return [...lost].map(([key, { code, message }]) => ({ key, code, message }));
    },
    returnsRows: false,
  },
  // Of the caller's own calls alone: the tool layer asks them after a call that the caller was let make.
  "questions.find": {
    ask: (operations, ctx, toolId) => operations.questions.find(ctx, toRowId(toolId)),
    returnsRows: false,
  },
  "questions.findState": {
    ask: (operations, ctx, toolId) => operations.questions.findState(ctx, toRowId(toolId)),
    returnsRows: false,
  },
  "questions.decide": {
    ask: (operations, ctx, toolId) => operations.questions.decide(ctx, toRowId(toolId), "approved"),
    returnsRows: false,
  },
  "tasks.make": {
    ask: (operations, ctx, toolId) => operations.tasks.make(ctx, toRowId(toolId)),
    returnsRows: false,
  },
  // Of a call that was admitted.
  "tasks.follow": { ask: async () => null, returnsRows: false },
  "tasks.finish": { ask: async () => null, returnsRows: false },
  "tasks.find": {
    ask: (operations, ctx, toolId) => operations.tasks.find(ctx, toRowId(toolId)),
    returnsRows: false,
  },
  "tasks.listOwn": {
    ask: (operations, ctx, toolId) => operations.tasks.listOwn(ctx, [toRowId(toolId)]),
    returnsRows: false,
  },
  "tasks.listStamps": {
    ask: async (operations, _ctx, toolId) => [
      ...(await operations.tasks.listStamps([toRowId(toolId)])),
    ],
    returnsRows: false,
  },
  "tasks.markAnswered": {
    ask: (operations, ctx, toolId) => operations.tasks.markAnswered(ctx, toRowId(toolId)),
    returnsRows: false,
  },
  "tasks.answer": {
    ask: (operations, ctx, toolId) => operations.tasks.answer(ctx, toRowId(toolId), { key: {} }),
    returnsRows: false,
  },
  // By the process that runs the call.
  "tasks.questions": { ask: async () => null, returnsRows: false },
  "tasks.cancel": {
    ask: (operations, ctx, toolId) => operations.tasks.cancel(ctx, toRowId(toolId)),
    returnsRows: false,
  },
  "rows.test": {
    ask: (operations, ctx, toolId) => operations.rows.test(ctx, { toolId, params: {} }),
    returnsRows: true,
  },
  "rows.health": {
    ask: (operations, ctx, toolId) => operations.rows.health(ctx, toRowId(toolId)),
    returnsRows: true,
  },
  "rows.watchHealth": {
    async ask(operations, ctx, toolId) {
      let outcome: unknown = null;
      await operations.rows.watchHealth(ctx, toRowId(toolId), ({ errorCode, errorMsg }) => {
        outcome = { errorCode, errorMsg };
        return true;
      });
      return outcome;
    },
    returnsRows: true,
  },
  "rows.discover": {
    ask: (operations, ctx, toolId) => operations.rows.discover(ctx, { rowId: toRowId(toolId) }),
    returnsRows: true,
  },
  "rows.findServers": {
    ask: (operations, ctx, toolId) => operations.rows.findServers(ctx, { rowId: toRowId(toolId) }),
    returnsRows: true,
  },
  "rows.explore": {
    // There is no row yet, so the answer has only what the outside system says.
    ask: (operations, ctx) =>
      operations.rows.explore(ctx, { connector: "fixture", texts: new Map() }),
    returnsRows: false,
  },
  "rows.lookUp": {
    ask: (operations, ctx, toolId) =>
      operations.rows.lookUp(ctx, { rowId: toRowId(toolId), source: "things", query: "" }),
    returnsRows: true,
  },
  "running.cancel": {
    // It takes run ids only, which cannot be guessed.
    ask: async (operations, _ctx, toolId) => operations.running.cancel(toRowId(toolId), "Enough."),
    returnsRows: false,
  },
  "running.count": { ask: async (operations) => operations.running.count(), returnsRows: false },
  "records.record": {
    // Returns its caller's value and the id of its run, which differs for each call.
    async ask(operations, ctx, toolId) {
      const call = { operationKey: "hub_get", request: { toolId } };
      const { value, text } = await operations.records.record(ctx, call, async () => null);
      return { value, text };
    },
    returnsRows: false,
  },
  "records.answer": {
    async ask(operations, ctx, toolId) {
      const call = { operationKey: "hub_get", request: { toolId } };
      const { value, text } = await operations.records.answer(ctx, call, async () => null);
      return { value, text };
    },
    returnsRows: false,
  },
  "records.runTask": {
    // It has no row, so it opens no token that is bound to one.
    async ask(operations, ctx, toolId) {
      const limits = { timeoutMs: 60_000, resultBytesMax: 1024 };
      const task = { operationKey: "http", name: "request", params: { toolId }, fields: [] };
      const run = async () => null;
      const { value, text } = await operations.records.runTask(ctx, { ...task, ...limits, run });
      return { value, text };
    },
    returnsRows: false,
  },
  "catalogue.list": {
    ask: (operations, { caller }) => operations.catalogue.list(caller),
    returnsRows: true,
  },
  "catalogue.listAll": {
    ask: (operations, { caller }) =>
      operations.catalogue.listAll(caller, (tools) => ({ tools: [...tools] })),
    returnsRows: true,
  },
  "catalogue.listRows": {
    ask: (operations, { caller }) => operations.catalogue.listRows(caller),
    returnsRows: true,
  },
  "catalogue.nameRows": {
    ask: (operations, { caller }) => operations.catalogue.nameRows(caller),
    returnsRows: true,
  },
  "catalogue.search": {
    ask: (operations, { caller }) => operations.catalogue.search(caller, { query: label }),
    returnsRows: true,
  },
  "catalogue.browse": {
    async ask(operations, { caller }, toolId) {
      const page = { limit: 100, offset: 0 };
      const rowId = toRowId(toolId);
      return await Promise.all(
        ["", label].flatMap((query) =>
          [{}, { rowId }, { connectorKey: "fixture" }].map((within) =>
            operations.catalogue.browse(caller, { query, within, ...page }),
          ),
        ),
      );
    },
    returnsRows: true,
  },
  "catalogue.prepareSearch": {
    ask: ({ catalogue }) => catalogue.prepareSearch().then(() => null),
    returnsRows: false,
  },
  "calls.check": {
    ask: (operations, ctx, toolId) => operations.calls.check(ctx, { toolId, params: {} }),
    returnsRows: true,
  },
  "catalogue.get": {
    ask: (operations, { caller }, toolId) => operations.catalogue.get(caller, toolId),
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
      reads: true,
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

async function ask(member: MemberName, tags: string[], rowId: string): Promise<Answer> {
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
  const names = Object.entries(hub.operations).flatMap(([port, given]) =>
    Object.keys(given).map((name) => `${port}.${name}`),
  );
  expect(names.sort()).toEqual(Object.keys(members).sort());
});

// Each name is a key of the record.
describe.each(Object.keys(members) as MemberName[])("%s", (member) => {
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

  test("A short name of a hidden row gets the same answer as one of no row", async () => {
    const [hidden, absent] = [hiddenId, crypto.randomUUID()].map((id) => id.slice(0, 8));
    const text = JSON.stringify(await ask(member, ["lab"], hidden ?? ""));
    expect(text).not.toContain(label);
    expect(text.replaceAll(hidden ?? "", absent ?? "")).toEqual(
      JSON.stringify(await ask(member, ["lab"], absent ?? "")),
    );
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
