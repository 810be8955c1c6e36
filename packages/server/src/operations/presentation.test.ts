/** Protects: a part of a result is sealed like the whole, and only the hub's own lists are not cut. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { openTestOperations, toTestCall } from "./open-test-operations.ts";

const secret = "row-secret-0123456789";
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
  const { text } = await hub.operations.execute(ada, { toolId, params, fields });
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

test("Without fields a result over the limit is cut; an answer of the hub itself is whole if it asks for that", async () => {
  expect(await list(100, 100)).toHaveProperty("_truncated");
  const own = { tools: items(1_000, "") };
  const record = (isWhole: boolean) => {
    const call = { operationKey: "hub_list", request: {}, isWhole };
    return hub.operations.record(ada, call, async () => own);
  };
  expect(JSON.parse((await record(true)).text)).toEqual(own);
  expect(JSON.parse((await record(false)).text)).toHaveProperty("_truncated");
});
