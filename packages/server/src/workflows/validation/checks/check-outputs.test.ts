import { describe, expect, test } from "bun:test";
import { listExamples } from "../../examples/list-examples.ts";
import { findMember, listMembers, type Shape } from "../outputs/find-member.ts";
import { validateBody } from "../validate-body.ts";
import type { FoundOperation } from "../validation-world.ts";

const toolId = "conn:00000000-0000-4000-8000-000000000000/get";

const order = {
  type: "object",
  properties: {
    total: { type: "number" },
    lines: { type: "array", items: { type: "object", properties: { sku: { type: "string" } } } },
    buyer: { $ref: "#/$defs/person" },
    open: { type: "object" },
    tags: { type: "object", additionalProperties: { type: "object", properties: { on: {} } } },
  },
  $defs: { person: { type: ["object", "null"], properties: { name: {} } } },
};

/** The warnings of a template that reads the output of `x`, with their hints. */
async function findIn(
  template: unknown,
  node: Record<string, unknown>,
  operation: Partial<FoundOperation> = {},
) {
  const found = { inputFields: [], disabled: null, missing: [], ...operation };
  const body = {
    triggers: [{ id: "start", type: "manual", entry: "x" }],
    nodes: [
      { id: "x", ...node },
      { id: "y", type: "set", value: template },
    ],
    edges: [{ from: "x", to: "y" }],
  };
  const world = { purpose: "publish" as const, findOperation: () => found };
  const { problems } = await validateBody(body, world);
  return problems
    .filter(({ path }) => path.startsWith("/nodes/1"))
    .map(({ severity, message, hint }) => `${severity}: ${message} ${hint}`);
}

const call = { type: "operation", tool_id: toolId };
const findInOrder = (template: unknown, schema: unknown = order, more: object = {}) =>
  findIn(template, { ...call, ...more }, { readOutputSchema: () => schema });

describe("members of the output of an operation", () => {
  test("One that its schema does not name is a warning with what was meant", async () => {
    expect(await findInOrder("{{.Node.x.totl}}")).toEqual([
      'warning: The output of "x" has no member "totl". Did you mean "total"?',
    ]);
    expect(await findInOrder('{{index .Node.x "totl"}}')).toHaveLength(1);
    expect(await findInOrder("{{.Node.x.buyer.nam}}")).toEqual([
      'warning: The output of "x" has no member "buyer.nam". Did you mean "name"?',
    ]);
  });

  test.each([
    ["{{.Node.x}} {{.Node.x.total}} {{.Node.x.buyer.name}}", order],
    ["{{.Node.x.open.any.thing}}", order],
    ["{{.Node.x.tags.vip.on}}", order],
    ["{{(index .Node.x.lines 0).sku}}", order],
    ["{{.Node.x.a}}", { type: "object" }],
    ["{{.Node.x.a}}", {}],
    ["{{.Node.x.a}}", true],
    ["{{.Node.x.a}}", { ...order, additionalProperties: true }],
    ["{{.Node.x.a}}", { ...order, additionalProperties: {} }],
    ["{{.Node.x.a}}", { ...order, patternProperties: { "^a": {} } }],
    ["{{.Node.x.a}}", { ...order, if: {}, else: { properties: { a: {} } } }],
    ["{{.Node.x.a}}", { anyOf: [order, { properties: { a: {} } }] }],
    ["{{.Node.x.a}}", { oneOf: [order, { type: "object" }] }],
    ["{{.Node.x.a}}", { allOf: [order, { properties: { a: {} } }] }],
    ["{{.Node.x.a}}", { ...order, $ref: "https://example.com/schema" }],
    ["{{.Node.x.a}}", { $ref: "#/$defs/missing" }],
    ["{{.Node.x.a}}", { $ref: "#" }],
    ["{{if .Node.x.note}}{{.Node.x.note}}{{end}}", order],
    ['{{.Node.x.note | default ""}}', order],
  ])("%s is no problem with %j", async (template, schema) => {
    expect(await findInOrder(template, schema)).toEqual([]);
  });

  test.each([
    ["{{.Node.x.a}}", { additionalProperties: false }],
    ["{{.Node.x.a}}", { anyOf: [order, { type: "null" }] }],
    ["{{.Node.x.a}}", { allOf: [order, { required: ["a"] }] }],
    ["{{.Node.x.a}}", { $ref: "#/$defs/o", $defs: { o: order } }],
    ["{{.Node.x.a}}", { type: "string" }],
    ["{{.Node.x.constructor}}", order],
    ["{{.Node.x.lines.sku}}", order],
    ["{{.Node.x.total.x}}", order],
  ])("%s is a warning with %j", async (template, schema) => {
    expect(await findInOrder(template, schema)).toHaveLength(1);
  });

  test("A list has no members: with for_each the output is one", async () => {
    expect(
      await findInOrder("{{.Node.x.total}}", order, { for_each: "{{.Event.Payload}}" }),
    ).toEqual([
      'warning: The output of "x" has no member "total". It is no object. Of a list, read one item, as in (index .Node.x 0), or use range.',
    ]);
  });

  test("The error of a node that goes on after it can be read", async () => {
    const template = "{{.Node.x.error}} {{.Node.x.total}}";
    expect(await findInOrder(template, order, { on_error: "continue" })).toEqual([]);
    expect(await findInOrder(template)).toHaveLength(1);
  });

  test("What a row's operation returns for other kinds of answers can be read", async () => {
    const operation = { readOutputSchema: () => order, isFromRow: true };
    expect(await findIn("{{.Node.x.status}} {{.Node.x.content}}", call, operation)).toEqual([]);
    expect(await findIn("{{.Node.x.totl}}", call, operation)).toHaveLength(1);
  });
});

describe("members of other outputs", () => {
  const approvers = { tags: ["ops"] };
  const conditions = [{ left: 1, op: "is_true" }];
  test.each([
    [{ type: "http", url: "https://example.com" }, "{{.Node.x.body.a}}{{.Node.x.status}}", "data"],
    [{ type: "set", value: { a: { b: "{{.Event.At}}" } } }, "{{.Node.x.a.b.c}}", "a.c"],
    [{ type: "set", value: "{{.Event.Payload}}" }, "{{.Node.x.a}}", null],
    [{ type: "set", value: [1] }, "{{.Node.x}}", "a"],
    [{ type: "code", source: "return 1" }, "{{.Node.x.a}}", null],
    [{ type: "wait", seconds: 1 }, "{{.Node.x.until}}", "at"],
    [{ type: "branch", conditions }, "{{.Node.x}}", "true"],
    [{ type: "switch", value: 1, cases: [{ case: "a" }] }, "{{.Node.x}}", "case"],
    [{ type: "approval", title: "?", approvers }, "{{.Node.x.by}}{{.Node.x.comment}}", "decision"],
    [{ type: "workflow", workflow_id: "a-b", wait: false }, "{{.Node.x}}", "id"],
    [{ type: "workflow", workflow_id: "a-b" }, "{{.Node.x.a}}", null],
    [{ type: "webhook_respond" }, "{{.Node.x.status}}", "state"],
  ])("%j", async (node, good, wrong) => {
    const about = (found: string[]) => found.filter((text) => text.includes("has no member"));
    expect(about(await findIn(good, node))).toEqual([]);
    if (wrong === null) return;
    expect(about(await findIn(`{{.Node.x.${wrong}}}`, node))).toHaveLength(1);
  });
});

describe("members of payloads", () => {
  const findIn = async (trigger: Record<string, unknown>, template: string) => {
    const body = {
      triggers: [{ id: "t", entry: "a", ...trigger }],
      nodes: [{ id: "a", type: "set", value: template }],
    };
    const { problems } = await validateBody(body, { purpose: "publish" });
    return problems.map(({ message }) => message);
  };

  test("Those below the first member are compared with the schema of the payload", async () => {
    const error = { type: "error", source_workflow: "*" };
    expect(await findIn(error, "{{.Event.Payload.error.mesage}}")).toEqual([
      "No trigger that leads to the node gives .Event.Payload.error.mesage.",
    ]);
    expect(await findIn(error, "{{.Event.Payload.error.message}}")).toEqual([]);
    expect(await findIn(error, "{{.Event.Payload.event.Payload.a}}")).toEqual([]);
    const hook = { type: "webhook" };
    expect(await findIn(hook, "{{.Event.Payload.body.a.b}}{{.Event.Payload.query.q}}")).toEqual([]);
    expect(await findIn(hook, "{{.Event.Payload.raw.a}}")).toHaveLength(1);
  });

  test("Fields of a manual trigger have the members of their types", async () => {
    const input = [{ name: "Order", type: "json" }, { name: "Note" }];
    expect(await findIn({ type: "manual", input }, "{{.Event.Payload.order.id}}")).toEqual([]);
    expect(await findIn({ type: "manual", input }, "{{.Event.Payload.note.id}}")).toHaveLength(1);
  });
});

test("The bodies of the examples read no member that is missing, and answer their requests", async () => {
  for (const { id, body } of listExamples()) {
    const { problems } = await validateBody(body, { purpose: "draft" });
    const found = problems.map(({ path, message }) => `${path} ${message}`);
    const known = /^\S+ (?:No row is chosen|The settings have no environment value)/;
    expect({ id, found: found.filter((text) => !known.test(text)) }).toEqual({ id, found: [] });
  }
});

describe("schemas that are built to be slow", () => {
  const wide = { anyOf: Array.from({ length: 1000 }, () => ({ $ref: "#" })) };
  const nested = { anyOf: Array.from({ length: 900 }, () => ({ allOf: [{ $ref: "#" }, order] })) };
  const long = { anyOf: Array.from({ length: 200_000 }, () => ({})) };
  const circle = { $ref: "#/$defs/a", $defs: { a: { $ref: "#/$defs/b" }, b: { $ref: "#" } } };
  const types = { type: Array.from({ length: 200_000 }, () => "string") };

  test.each([
    ["references in a circle", circle, 100],
    ["many references in a circle", wide, 5_000],
    ["references in a circle with parts", nested, 5_000],
    ["a list of 200,000 parts", long, 1],
    ["a list of 200,000 types", types, 1],
  ])("Of %s, only a part is read, and nothing is said of a member", (_, schema, readsMax) => {
    const budget = { left: 1_000_000 };
    const shape: Shape = { kind: "schema", schema, root: schema };
    expect(findMember(budget, [shape], "a")).toEqual({ kind: "open" });
    expect(1_000_000 - budget.left).toBeWithin(1, readsMax + 1);
    expect(listMembers([shape]).length).toBeLessThanOrEqual(500);
  });

  test("The members of an object are listed once, however often they are read", () => {
    let lists = 0;
    const target = Object.fromEntries(Array.from({ length: 2_000 }, (_, at) => [`m${at}`, {}]));
    const ownKeys = () => {
      lists += 1;
      return Reflect.ownKeys(target);
    };
    const schema = { type: "object", properties: new Proxy(target, { ownKeys }) };
    const shape: Shape = { kind: "schema", schema, root: schema };
    const budget = { left: 1_000_000 };
    for (let at = 0; at < 50; at += 1) {
      expect(findMember(budget, [shape], `q${at}`)).toEqual({ kind: "none" });
      expect(listMembers([shape])).toHaveLength(500);
    }
    expect(lists).toBe(1);
  });

  test("Each part of a reference counts", () => {
    const budget = { left: 1_000_000 };
    const schema = { $ref: `#${"/a".repeat(200)}` };
    const shape: Shape = { kind: "schema", schema, root: schema };
    expect(findMember(budget, [shape], "b")).toEqual({ kind: "open" });
    expect(1_000_000 - budget.left).toBeGreaterThan(200);
  });

  test("When as much was read as one body may cost, nothing more is said", () => {
    const budget = { left: 2 };
    const shape: Shape = { kind: "schema", schema: order, root: order };
    const kinds = [1, 2, 3].map(() => findMember(budget, [shape], "a").kind);
    expect(kinds).toEqual(["none", "none", "open"]);
  });

  test("Thousands of reads let other work run", async () => {
    const reads = Array.from({ length: 400 }, () => "{{.Node.x.a}}{{.Node.x.b}}".repeat(20));
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    expect(await findInOrder(reads)).toHaveLength(200);
    isDone = true;
    expect(turns).toBeGreaterThan(1);
  });
});
