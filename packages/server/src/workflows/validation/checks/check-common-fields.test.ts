import { expect, test } from "bun:test";
import { validateBody } from "../validate-body.ts";
import type { ValidationWorld } from "../validation-world.ts";

const off = { disabled: true };
const world: ValidationWorld = { purpose: "publish", findOperation: () => null };
const toolId = "conn:00000000-0000-4000-8000-000000000000/get";

async function find(nodes: object[], edges: object[] = []) {
  const body = { triggers: [{ id: "start", type: "manual", entry: "a" }], nodes, edges };
  const { problems } = await validateBody(body, world);
  return problems.map(({ severity, path, message }) => `${severity} ${path}: ${message}`);
}

test.each([
  { type: "branch", conditions: [{ left: 1, op: "is_true" }] },
  { type: "switch", value: 1, cases: [{ case: "one" }] },
  { type: "approval", title: "?", approvers: { tags: ["ops"] } },
])("A node with cases cannot be switched off: $type", async (node) => {
  expect(await find([{ id: "a", ...node, ...off }])).toContain(
    `error /nodes/0/disabled: A ${node.type} node cannot be switched off: what follows depends on its case.`,
  );
});

test("What is wrong in a node that is switched off is a warning, since it does not run", async () => {
  const call = { id: "a", type: "operation", tool_id: toolId, params: { p: "{{.Node.b}}{{" } };
  const texts = await find([call]);
  expect(texts.map((text) => text.split(" ")[0])).toEqual(["error", "error"]);
  const offTexts = await find([{ ...call, ...off }]);
  expect(offTexts).toEqual(texts.map((text) => text.replace("error", "warning")));
});

test("A template that reads a node that is switched off is a warning, and members are not checked", async () => {
  const nodes = [
    { id: "a", type: "set", value: { total: 1 }, ...off },
    { id: "b", type: "set", value: "{{.Node.a.x}}" },
    { id: "c", type: "set", value: "{{.Node.a.x}}", ...off },
  ];
  const edges = [
    { from: "a", to: "b" },
    { from: "b", to: "c" },
  ];
  expect(await find(nodes, edges)).toEqual([
    'warning /nodes/1/value: The template reads "a", which is switched off: its output is that of the node before it.',
  ]);
});

test("`disabled: false` is the same as without it", async () => {
  expect(await find([{ id: "a", type: "set", value: 1, disabled: false }])).toEqual([]);
});
