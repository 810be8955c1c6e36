/** Protects: a part of a result is sealed like the whole, and only the hub's own lists are not cut. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { KeptAnswer } from "../answers/kept-answer.ts";
import { openTestOperations, toTestCall } from "../testing/open-test-operations.ts";

const secret = "row-secret-9fK2xQ7vLm4R";
const items = (count: number, body: string) =>
  Array.from({ length: count }, (_, id) => ({ id, title: `Item ${id}`, note: secret, body }));

const connector = defineConnector({
  key: "store",
  name: "Store",
  icon: "box",
  tier: "builtin",
  description: "Returns results of any size.",
  config: { Token: wick("secret") },
  operations: {
    list: {
      description: "Lists items.",
      input: { Count: wick.int("required"), BodyBytes: wick.int("required") },
      run: ({ params }) => ({
        total: Number(params.Count),
        items: items(Number(params.Count), "x".repeat(Number(params.BodyBytes))),
      }),
    },
  },
});

let hub: Awaited<ReturnType<typeof openTestOperations>>;
let toolId: string;
const ada = toTestCall(["red"]);

beforeAll(async () => {
  hub = await openTestOperations(connector);
  const rowId = await hub.addRow({ tags: ["red"], secrets: { token: secret } });
  toolId = `conn:${rowId}/list`;
});
afterAll(() => hub.close());

const list = async (count: number, bodyBytes: number, fields?: string[]) => {
  const params = { count, body_bytes: bodyBytes };
  const { text } = await hub.operations.calls.call(ada, { toolId, params, fields });
  return JSON.parse(text);
};

test.each([
  ["small", 3, 10],
  ["large", 50, 20_000],
])("Fields are picked from a %s result before it is cut", async (_size, count, bodyBytes) => {
  expect(await list(count, bodyBytes, ["total", "items.*.title"])).toEqual({
    total: count,
    items: Array.from({ length: count }, (_, id) => ({ title: `Item ${id}` })),
  });
});

test.each([
  ["small", 3, 10],
  ["large", 50, 20_000],
])("Picked fields of a %s result are sealed", async (_size, count, bodyBytes) => {
  const result = await list(count, bodyBytes, ["items.0.note", "items.1.body"]);
  expect(result.items[0]).toEqual({ note: expect.stringMatching(/^hub_enc_/) });
  expect(JSON.stringify(result)).not.toContain(secret);
});

test("A field that is not in the result is named, also if the result is large", async () => {
  expect(await list(1, 10, ["totals"])).toEqual({ _missing_fields: ["totals"] });
  expect(await list(50, 20_000, ["totals"])).toEqual({ _missing_fields: ["totals"] });
});

test.each([
  ["short items", 1_500, () => 1],
  ["many short items", 20_000, () => 1],
  ["long items", 3_000, (id: number) => ({ id, note: secret, title: `"Item" ${id}` })],
] as const)("A list of the hub itself is written in portions and recorded in part (%s)", async (_, count, toItem) => {
  const own = { tools: Array.from({ length: count }, (_, id) => toItem(id)), total: count };
  const call = { operationKey: "hub_list", request: {}, isWhole: true };
  const { text, value, runId } = await hub.operations.records.record(ada, call, async () => own);
  expect(text).toBe(JSON.stringify(own));
  expect(value).toEqual(own);
  const run = (await hub.listRuns()).find(({ id }) => id === runId);
  expect(run?.response?.length).toBeLessThanOrEqual(16 * 1024);
  const { tools, total, _truncated: cut } = JSON.parse(run?.response ?? "");
  expect([tools[0], total]).toEqual([toItem(0), count]);
  if (text.length <= 16 * 1024) expect(cut).toBeUndefined();
  else {
    expect(cut).toMatchObject({
      bytes: text.length,
      cuts: [{ path: "tools", kept: tools.length, of: count }],
    });
  }
});

test("A token of the hub in the request is not in a list of the hub, in any portion", async () => {
  const token = `hub_pat_${"0123456789abcdef".repeat(2)}`;
  const own = { tools: Array.from({ length: 2_500 }, () => ({ label: token })) };
  const call = { operationKey: "hub_list", request: { row: token }, isWhole: true };
  const { text, runId } = await hub.operations.records.record(ada, call, async () => own);
  const run = (await hub.listRuns()).find(({ id }) => id === runId);
  for (const written of [text, run?.response ?? token]) expect(written).not.toContain(token);
});

test.each([
  3, 2_500,
])("A kept list of %d is written once, but anew for a call with a token of the hub", async (count) => {
  const token = `hub_pat_${"0123456789abcdef".repeat(2)}`;
  const own = { tools: Array.from({ length: count }, () => ({ label: token })) };
  const kept = new KeptAnswer(own);
  const record = async (request: { row?: string }) => {
    const call = { operationKey: "hub_list", request, isWhole: true };
    const answer = await hub.operations.records.record(ada, call, async () => kept);
    const run = (await hub.listRuns()).find(({ id }) => id === answer.runId);
    return { answer, response: run?.response };
  };
  const clean = await record({ row: token });
  expect(clean.answer.text).not.toContain(token);
  expect(kept.written).toBeNull();
  const plain = await record({});
  expect(plain.answer.value).toEqual(own);
  const { written } = kept;
  const again = await record({});
  expect(again.answer.text).toBe(JSON.stringify(own));
  expect(again.response).toBe(plain.response ?? "");
  expect(kept.written).toBe(written);
  expect(again.answer.runId).not.toBe(plain.answer.runId);
  const later = await record({ row: token });
  expect([later.answer.text, later.response].join()).not.toContain(token);
});

test("Without fields a result over the limit is cut; an answer of the hub itself is whole if it asks for that", async () => {
  expect(await list(100, 100)).toHaveProperty("_truncated");
  const own = { tools: items(1_000, "") };
  const record = (isWhole: boolean) => {
    const call = { operationKey: "hub_list", request: {}, isWhole };
    return hub.operations.records.record(ada, call, async () => own);
  };
  expect(JSON.parse((await record(true)).text)).toEqual(own);
  expect(JSON.parse((await record(false)).text)).toHaveProperty("_truncated");
});
