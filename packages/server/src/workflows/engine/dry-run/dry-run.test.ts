import { afterAll, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { readFlags } from "../step/step-records.ts";
import { openCallEngine } from "../testing/open-call-engine.ts";

const sent: string[] = [];
const shop = defineConnector({
  key: "shop",
  name: "Shop",
  icon: "box",
  tier: "builtin",
  description: "A connector for tests.",
  config: {},
  operations: {
    list: {
      name: "List",
      description: "List the orders.",
      input: {},
      async run() {
        sent.push("list");
        return [{ id: 1 }, { id: 2 }];
      },
    },
    order: {
      name: "Order",
      description: "Make an order.",
      destructive: true,
      input: { count: wick.int("required;desc=How many.") },
      output: {
        type: "object",
        properties: { order: { type: "string" }, left: { type: "integer", minimum: 3 } },
        required: ["order"],
      },
      async run() {
        sent.push("order");
        return { order: "real", left: 1 };
      },
    },
    drop: {
      name: "Drop",
      description: "Drop everything.",
      destructive: true,
      input: {},
      async run() {
        sent.push("drop");
        return null;
      },
    },
  },
});

const server: Bun.Server<undefined> = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(req) {
    sent.push(`${req.method} ${new URL(req.url).pathname}`);
    return Response.json({ from: "server" });
  },
});
afterAll(() => server.stop(true));

type Nodes = NonNullable<WorkflowBodyInput["nodes"]>;
type Hub = Awaited<ReturnType<typeof openCallEngine>>;

async function open() {
  sent.length = 0;
  const hub = await openCallEngine(shop, { http: { allow: ["127.0.0.1"] } });
  const rowId = await hub.calls.addRow({ tags: ["everyone"] });
  const call = (id: string, operation: string, more: object = {}) => {
    const type = "operation" as const;
    return { id, type, tool_id: `conn:${rowId}/${operation}`, ...more };
  };
  return { hub, call, [Symbol.asyncDispose]: hub[Symbol.asyncDispose] };
}

const chain = (nodes: Nodes, more: Partial<WorkflowBodyInput> = {}): WorkflowBodyInput => ({
  triggers: [{ id: "start", type: "manual", entry: nodes[0]?.id ?? "" }],
  nodes,
  edges: nodes.slice(1).map(({ id }, at) => ({ from: nodes[at]?.id ?? "", to: id })),
  ...more,
});

async function dryRun(hub: Hub, body: WorkflowBodyInput, context: object = {}) {
  const workflow = hub.addWorkflow(body);
  const run = await hub.untilParked(await hub.run(workflow, { mode: "dry", context }));
  const steps = run.steps.map((step) => ({
    id: step.item < 0 ? step.nodeId : `${step.nodeId}[${step.item}]`,
    state: step.state,
    flags: readFlags(step),
    input: step.input === null ? null : JSON.parse(step.input),
  }));
  return { ...run, shown: steps };
}

test("A dry run reads, records what it would call, and goes on with a sample of its result", async () => {
  await using opened = await open();
  const { hub, call } = opened;
  const run = await dryRun(
    hub,
    chain([
      call("list", "list"),
      call("order", "order", { params: { count: "{{len .Node.list}}" } }),
      { id: "note", type: "set", value: "{{.Node.order.order}} {{.Node.order.left}}" },
    ]),
  );
  expect(run.state).toBe("succeeded");
  expect(sent).toEqual(["list"]);
  expect(run.shown[1]).toMatchObject({ flags: ["would_call"], input: { params: { count: 2 } } });
  expect(run.outputs.note).toBe("sample 3");
});

test("Nodes after an unknown output do not run, and the run does not succeed", async () => {
  await using opened = await open();
  const { hub, call } = opened;
  const url = `http://127.0.0.1:${server.port}`;
  const run = await dryRun(
    hub,
    chain(
      [
        { id: "get", type: "http", url: `${url}/read` },
        { id: "post", type: "http", method: "POST", url: `${url}/send` },
        call("drop", "drop"),
        { id: "after", type: "set", value: 1 },
        { id: "beside", type: "set", value: 2 },
      ],
      {
        edges: [
          { from: "get", to: "post" },
          { from: "get", to: "drop" },
          { from: "get", to: "beside" },
          { from: "post", to: "after" },
          { from: "beside", to: "after" },
        ],
      },
    ),
  );
  expect(run.state).toBe("unknown");
  expect(sent).toEqual(["GET /read"]);
  expect(Object.fromEntries(run.shown.map(({ id, state }) => [id, state]))).toEqual({
    get: "succeeded",
    post: "unknown",
    drop: "unknown",
    beside: "succeeded",
  });
});

test("Pins stand in for outputs, and a read with a pin is not made", async () => {
  await using opened = await open();
  const { hub, call } = opened;
  const body = chain([
    call("list", "list"),
    call("drop", "drop"),
    { id: "check", type: "branch", conditions: [{ left: "{{.Node.drop}}", op: "eq", right: 7 }] },
    { id: "yes", type: "set", value: "{{len .Node.list}}" },
  ]);
  body.edges = [...(body.edges ?? []).slice(0, 2), { from: "check", to: "yes", case: "true" }];
  const run = await dryRun(hub, body, { pins: { list: [1, 2, 3], drop: 7 } });
  expect(run).toMatchObject({ state: "succeeded", outputs: { yes: 3, drop: 7 } });
  expect(sent).toEqual([]);
  expect(run.shown.slice(0, 2)).toMatchObject([
    { flags: ["pinned"] },
    { flags: ["would_call", "pinned"] },
  ]);
});

test("Params are checked as in a call, and each item of for_each is recorded", async () => {
  await using opened = await open();
  const { hub, call } = opened;
  const each = { for_each: "{{.Node.list}}", params: { count: "{{.Item.id}}" } };
  const good = await dryRun(hub, chain([call("list", "list"), call("order", "order", each)]));
  expect(good.outputs.order).toHaveLength(2);
  const calls = good.shown.filter(({ flags }) => flags.includes("would_call"));
  expect(calls.map(({ id, input }) => [id, input.params.count])).toEqual([
    ["order[0]", 1],
    ["order[1]", 2],
  ]);
  const unknown = chain([
    call("drop", "drop", { for_each: "{{.Event.Payload.list}}" }),
    { id: "after", type: "set", value: 1 },
  ]);
  const workflow = hub.addWorkflow(unknown);
  const payload = { list: [1, 2] };
  const left = await hub.untilParked(
    await hub.run(workflow, { mode: "dry", context: {}, payload }),
  );
  expect(left.state).toBe("unknown");
  expect(left.steps.map(({ state }) => state)).toEqual(["unknown", "unknown", "unknown"]);
  const bad = await dryRun(hub, chain([call("order", "order", { params: { count: "x" } })]));
  expect(bad).toMatchObject({ state: "failed", error: { code: "invalid_params" } });
  expect(sent).toEqual(["list"]);
});

test("A wait does not sleep, an answer is not sent, and neither child, scheduled nor error runs start", async () => {
  await using opened = await open();
  const { hub } = opened;
  const child = hub.addWorkflow(chain([{ id: "in_child", type: "set", value: 1 }]));
  const at = new Date(Date.now() + 60_000).toISOString();
  const run = await dryRun(
    hub,
    chain(
      [
        { id: "wait", type: "wait", seconds: 86_400 },
        { id: "answer", type: "webhook_respond", respond_body: "hello" },
        { id: "later", type: "set", value: { schedule_at: at } },
        { id: "child", type: "workflow", workflow_id: child.id, wait: false },
      ],
      {
        triggers: [
          { id: "start", type: "manual", entry: "wait" },
          { id: "again", type: "schedule_at", entry: "wait" },
        ],
      },
    ),
  );
  expect(run.state).toBe("unknown");
  expect(run.outputs.answer).toMatchObject({ status: 200, body: "hello" });
  expect(run.steps.find(({ nodeId }) => nodeId === "later")?.warnings).toContain(at);
  expect(run.shown.filter(({ flags }) => flags.includes("would_call"))).toMatchObject([
    { id: "answer" },
    { id: "child", input: { workflow_id: child.id } },
  ]);
  const all = await hub.store.workflowRuns.drain().then(() => hub.engine.countActive());
  expect(all).toBe(0);
});

test("A node that is switched off passes its input on, also with a pin, and an approval shows no such node", async () => {
  await using opened = await open();
  const { hub, call } = opened;
  const nodes = [
    { id: "a", type: "set" as const, value: { n: 1 } },
    call("order", "order", { disabled: true }),
    { id: "b", type: "set" as const, value: "{{.Node.order.n}}" },
  ];
  const run = await dryRun(hub, chain(nodes), { pins: { order: { n: 2 } } });
  expect(run).toMatchObject({ state: "succeeded", outputs: { b: 1 } });
  expect(run.shown[1]).toMatchObject({ state: "skipped", flags: [], input: null });
  expect(sent).toEqual([]);
});
