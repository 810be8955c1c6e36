import { expect, test } from "bun:test";
import type { Json } from "@hub/connector";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { parseTemplate } from "../templates/parse/parser.ts";
import { pickValues } from "./pick-values.ts";
import type { FollowingNode } from "./show-node.ts";

type NodeInput = Omit<Partial<FollowingNode>, "node"> & { type?: string };

async function pick(fields: Json, { type = "operation", ...given }: NodeInput = {}) {
  const node: FollowingNode = {
    // The fields that are shown are given beside it.
    node: { id: "next", type } as WorkflowNode,
    operation: null,
    workflowName: null,
    fields,
    isRendered: true,
    dependsOn: [],
    usesTime: false,
    items: null,
    problem: null,
    ...given,
  };
  const known: Record<string, Json> = { "{{.Event.Payload.to}}": "ada", "{{.Node.a}}": { x: 1 } };
  const found = await pickValues(
    {
      parse: parseTemplate,
      render: async (value) => known[String(value)] ?? null,
      isCompleted: (id) => id === "a",
    },
    node,
  );
  return found.map(({ label, value }) => [label, value]);
}

test("The first five scalars of the inputs are picked in their order, by their paths", async () => {
  const params = {
    customer: { name: "Ada", note: "", gone: null, tags: ["new", { kind: "vip" }] },
    amount: 12.5,
    express: false,
    sixth: 6,
  };
  expect(await pick({ params })).toEqual([
    ["customer.name", "Ada"],
    ["customer.tags[0]", "new"],
    ["customer.tags[1].kind", "vip"],
    ["amount", 12.5],
    ["express", false],
  ]);
});

test("A name is whole, so that a secret in it is found before it is cut", async () => {
  const key = `${"of ".repeat(30)}${"s3cret".repeat(40)}`;
  expect(await pick({ params: { [key]: { at: 1 } } })).toEqual([[`["${key}"].at`, 1]]);
});

test("A name from outside cannot look like another path, or like a value", async () => {
  const params = { "amount: 5": 7, a: { "b.c": 1 }, "": "x", "l\nn": 2 };
  expect(await pick({ params })).toEqual([
    ['["amount: 5"]', 7],
    ['a["b.c"]', 1],
    ['[""]', "x"],
    ['["l\\nn"]', 2],
  ]);
});

test("Of a request the headers are left out, and a payload that is a text has the name of its field", async () => {
  const request = { url: "https://a.example", headers: { a: "b" }, query: {}, body: { n: 1 } };
  expect(await pick(request, { type: "http" })).toEqual([
    ["url", "https://a.example"],
    ["body.n", 1],
  ]);
  expect(await pick({ payload: "all" }, { type: "workflow" })).toEqual([["payload", "all"]]);
  expect(await pick({ payload: { n: 1 } }, { type: "workflow" })).toEqual([["n", 1]]);
  expect(await pick({ args: { text: "x" } }, { type: "channel" })).toEqual([["text", "x"]]);
});

test("Templates that cannot be rendered yet are left out, and so are those that read the time or an item", async () => {
  const params = {
    later: "{{.Node.later.x}}",
    now: "{{now}}",
    item: "{{.Item.x}}",
    all: "{{toJSON .Node}}",
    wrong: "{{",
    object: "{{.Node.a}}",
    to: "{{.Event.Payload.to}}",
    fixed: 1,
  };
  expect(await pick({ params }, { isRendered: false })).toEqual([
    ["to", "ada"],
    ["fixed", 1],
  ]);
});

test("A rendered text that looks like a template is a value", async () => {
  expect(await pick({ params: { text: "{{now}}" } })).toEqual([["text", "{{now}}"]]);
});

test("With for_each, the number of items comes first, and then the first item", async () => {
  const first = { params: { a: 1, b: 2, c: 3, d: 4, e: 5 } };
  const items = { count: 500, shown: [first, { params: { a: 9 } }] };
  expect(await pick({ params: {} }, { items })).toEqual([
    ["number of items", "500"],
    ["a", 1],
    ["b", 2],
    ["c", 3],
    ["d", 4],
  ]);
  expect(await pick({ params: { a: "{{.Item}}" } }, { items: { count: 0, shown: [] } })).toEqual([
    ["number of items", "0"],
  ]);
});

test("Only a bounded part of large and deep inputs is looked at", async () => {
  let deep: Json = "bottom";
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  const params = { deep, nulls: Array(100_000).fill(null), after: 1 };
  expect(await pick({ params })).toEqual([]);
});
