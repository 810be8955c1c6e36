/**
 * Protects: a workflow is offered as a tool of its own to exactly the users who may start it, as long as
 * what is published says so; and a tool never starts what its caller could not.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { toToolRowId } from "../../packages/server/src/workflows/as-tools/tool-row.ts";
import { readAnswer } from "../support/mcp-client.ts";
import { toToolCall } from "../support/rpc.ts";
import {
  openWorkflowUsers,
  type WorkflowUser,
  type WorkflowUsers,
  workflowsPath,
} from "../support/workflow-users.ts";

setDefaultTimeout(180_000);

let hub: WorkflowUsers;
let owner: WorkflowUser;
let sharer: WorkflowUser;
let stranger: WorkflowUser;

const order: WorkflowBodyInput = {
  triggers: [
    {
      id: "start",
      type: "manual",
      entry: "sum",
      as_tool: true,
      input: [
        { name: "Count", type: "integer", tag: "required;desc=How many" },
        { name: "Note", tag: "secret" },
      ],
    },
  ],
  nodes: [{ id: "sum", type: "set", value: { ordered: "{{.Event.Payload.count}}" } }],
  edges: [],
};

beforeAll(async () => {
  hub = await openWorkflowUsers();
  owner = await hub.addUser({ tags: ["red"] });
  sharer = await hub.addUser({ tags: ["red"] });
  stranger = await hub.addUser({ tags: ["blue"] });
});
afterAll(() => hub[Symbol.asyncDispose]());

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape
type Answer = any;

const tokens = new Map<string, Record<string, string>>();

async function callTool(user: WorkflowUser, name: string, args: Record<string, unknown>) {
  const { email } = user.user;
  const headers = tokens.get(email) ?? { ...(await hub.hub.addToken(email, "mcp")) };
  tokens.set(email, headers);
  const { body } = await hub.hub.request("POST", "/mcp", { headers, body: toToolCall(name, args) });
  const { isError, value }: { isError: boolean; value: Answer } = readAnswer(body.result);
  return { isError, value };
}

async function listTools(user: WorkflowUser): Promise<Answer[]> {
  const { value } = await callTool(user, "hub_list", {});
  return value.tools.filter((tool: Answer) => tool.connector === "Workflow tools");
}

/** The tool ids of the workflow tools that a user sees. */
async function listIds(user: WorkflowUser): Promise<string[]> {
  return (await listTools(user)).map(({ tool_id }) => tool_id);
}

async function offer(body: WorkflowBodyInput = order, given = {}) {
  const id = await hub.publish(owner, body, { tags: ["red"], ...given });
  const { rows } = await hub.ask(hub.admin, "GET", "/manager/api/rows?connector=workflow_tool");
  const rowId = toToolRowId(id);
  const row = rows.find((one: Answer) => one.id === rowId);
  return { id, path: `${workflowsPath}/${id}`, row, toolId: `conn:${rowId}/run` };
}

test("A published workflow is a tool with its own name, description and schema", async () => {
  const { id, toolId, path } = await offer();
  await hub.ask(owner, "PATCH", path, { name: "Order things", description: "Orders many." });
  const { value } = await callTool(sharer, "hub_get", { tool_id: toolId });
  expect(value).toMatchObject({
    name: "Order things",
    input_schema: {
      properties: { count: { type: "integer", description: "How many" } },
      required: ["count"],
    },
  });
  expect(JSON.stringify(value)).toContain("Orders many.");
  const { value: found } = await callTool(sharer, "hub_search", { query: "order things" });
  expect(found.tools.map(({ tool_id }: Answer) => tool_id)).toContain(toolId);
  const ran = await callTool(sharer, "hub_execute", { tool_id: toolId, params: { count: 3 } });
  expect(ran).toMatchObject({ isError: false, value: { state: "succeeded" } });
  expect(ran.value.output).toEqual({ ordered: 3 });
  const run = await hub.awaitRun(id, ran.value.run_id);
  expect(run).toMatchObject({ trigger_id: "start", started_by: sharer.user.email });
});

test("Params that the trigger's fields refuse start no run", async () => {
  const { toolId, path } = await offer();
  for (const params of [{}, { count: "many" }, { count: 1.5 }]) {
    const { isError, value } = await callTool(sharer, "hub_execute", { tool_id: toolId, params });
    expect([isError, value.code]).toEqual([true, "invalid_params"]);
  }
  expect((await hub.ask(owner, "GET", `${path}/runs`)).runs).toEqual([]);
});

test("hub_read starts no workflow: neither by its tool nor by workflow_run_now", async () => {
  const { id, toolId, path } = await offer();
  const { value } = await callTool(owner, "hub_search", { query: "workflow_run_now" });
  const runNow = value.tools.find(({ tool_id }: Answer) => tool_id.endsWith("/workflow_run_now"));
  const calls = [
    { tool_id: toolId, params: { count: 3 } },
    { tool_id: runNow.tool_id, params: { workflow_id: id, payload: { count: 3 } } },
  ];
  for (const call of calls) {
    const refused = await callTool(owner, "hub_read", call);
    expect(refused).toMatchObject({ isError: true, value: { code: "destructive_operation" } });
  }
  expect((await hub.ask(owner, "GET", `${path}/runs`)).runs).toEqual([]);
});

test("A mark of an admin is for what was published: each publication removes it", async () => {
  const { toolId, path, row } = await offer();
  const mark = () =>
    hub.ask(hub.admin, "POST", `/manager/api/rows/${row.id}/reads`, {
      operations: ["run"],
      reads: true,
    });
  const read = () => callTool(owner, "hub_read", { tool_id: toolId, params: { count: 3 } });
  await mark();
  expect((await read()).value.state).toBe("succeeded");
  const [node] = order.nodes ?? [];
  for (const [revision, value] of [
    [2, "one"],
    [3, "another"],
  ]) {
    await mark();
    const nodes = [{ ...node, value }] as typeof order.nodes;
    await hub.ask(owner, "PUT", `${path}/draft`, {
      revision: Number(revision) - 1,
      body: { ...order, nodes },
    });
    await hub.ask(owner, "POST", `${path}/publish`, { revision });
    expect((await read()).value.code).toBe("destructive_operation");
  }
  expect((await hub.ask(owner, "GET", `${path}/runs`)).runs).toHaveLength(1);
});

test("A secret of a call is a token in the run", async () => {
  const { toolId, path } = await offer();
  const params = { count: 1, note: "pa55-word-of-the-caller" };
  const { value } = await callTool(owner, "hub_execute", { tool_id: toolId, params });
  const run = await hub.awaitRun(path.split("/").at(-1) ?? "", value.run_id);
  expect(JSON.stringify(run)).not.toContain("pa55-word-of-the-caller");
  expect(run.event.Payload.note).toStartWith("hub_enc_");
});

test("The tool exists for those who may start the workflow, and follows each change", async () => {
  const { toolId, path } = await offer();
  const see = async () => [
    (await listIds(sharer)).includes(toolId),
    (await listIds(stranger)).includes(toolId),
  ];
  const both = [true, false];
  const none = [false, false];
  expect(await see()).toEqual(both);
  await hub.ask(hub.admin, "PUT", `${path}/tags`, { tags: ["blue"] });
  expect(await see()).toEqual([false, true]);
  await hub.ask(hub.admin, "PUT", `${path}/tags`, { tags: ["red"] });
  await hub.ask(owner, "PATCH", path, { run_by: "owner" });
  expect(await see()).toEqual(none);
  await hub.ask(owner, "PATCH", path, { run_by: "tags" });
  await hub.ask(owner, "POST", `${path}/disable`);
  expect(await see()).toEqual(none);
  await hub.ask(owner, "POST", `${path}/enable`);
  expect(await see()).toEqual(both);
  const withdrawn = { ...order, triggers: [{ ...order.triggers?.[0], as_tool: false }] };
  await hub.ask(owner, "PUT", `${path}/draft`, { body: withdrawn, revision: 1 });
  expect(await see()).toEqual(both);
  await hub.ask(owner, "POST", `${path}/publish`, { revision: 2 });
  expect(await see()).toEqual(none);
  await hub.ask(owner, "PUT", `${path}/draft`, { body: order, revision: 2 });
  await hub.ask(owner, "POST", `${path}/publish`, { revision: 3 });
  expect(await see()).toEqual(both);
  await hub.ask(owner, "DELETE", path);
  expect(await see()).toEqual(none);
  const { value } = await callTool(sharer, "hub_execute", { tool_id: toolId, params: {} });
  expect(value.code).toBe("not_found");
});

test("What an admin disabled stays disabled when the workflow is offered again", async () => {
  const { toolId, path, row } = await offer();
  await hub.ask(hub.admin, "POST", `/manager/api/rows/${row.id}/disable`);
  await hub.ask(owner, "POST", `${path}/disable`);
  await hub.ask(owner, "POST", `${path}/enable`);
  const { value } = await callTool(sharer, "hub_execute", {
    tool_id: toolId,
    params: { count: 1 },
  });
  expect(value.code).toBe("connector_disabled");
});

test("Its row is not added, changed or copied by hand, and says what to change", async () => {
  const { row } = await offer();
  const path = `/manager/api/rows/${row.id}`;
  const tries = [
    ["POST", "/manager/api/rows", { connector: "workflow_tool", label: "Mine" }],
    ["PATCH", path, { label: "Mine", version: row.version }],
    ["PATCH", path, { tags: ["blue"], version: row.version }],
    ["PATCH", path, { values: { workflow: "other" }, version: row.version }],
    ["POST", `${path}/duplicate`, {}],
  ] as const;
  for (const [method, target, body] of tries) {
    const answer = await hub.hub.request(method, target, { headers: hub.admin.headers, body });
    expect([method, target, answer.status]).toEqual([method, target, 409]);
    expect(answer.body.error).toContain("Change the workflow, and publish it.");
  }
});

test("A run that fails is an error of the call, with its id", async () => {
  const { toolId } = await offer({
    ...order,
    nodes: [{ id: "sum", type: "fail", message: "No stock" }],
  });
  const call = (user: WorkflowUser) =>
    callTool(user, "hub_execute", { tool_id: toolId, params: { count: 1 } });
  const own = await call(owner);
  expect(own.value).toMatchObject({ code: "run_failed" });
  expect(own.value.error).toContain("No stock");
  expect(own.value.run_id).toBeString();
  expect(JSON.stringify((await call(sharer)).value)).not.toContain("No stock");
});

test("A node of a workflow cannot call a tool, so that no workflows call each other forever", async () => {
  const { toolId, id } = await offer();
  const caller: WorkflowBodyInput = {
    triggers: [{ id: "start", type: "manual", entry: "call" }],
    nodes: [{ id: "call", type: "operation", tool_id: toolId, params: { count: 1 } }],
    edges: [],
  };
  const made = await hub.ask(owner, "POST", workflowsPath, { name: "Circle", body: caller });
  const path = `${workflowsPath}/${made.id}`;
  const refused = await hub.hub.request("POST", `${path}/publish`, {
    headers: owner.headers,
    body: { revision: 1 },
  });
  expect(refused.body.error).toContain("A node cannot call the tool of a workflow.");
  expect(JSON.stringify(refused.body)).toContain(`Use a node of type workflow: ${id}.`);
});

test("A workflow is one tool, of a schema that other tools may have", async () => {
  const long = { name: "Long", tag: `desc=${"x".repeat(4000)}` };
  const bodies: WorkflowBodyInput[] = [
    {
      ...order,
      triggers: [
        ...(order.triggers ?? []),
        { id: "other", type: "manual", entry: "sum", as_tool: true },
      ],
    },
    {
      ...order,
      triggers: [
        {
          id: "start",
          type: "manual",
          entry: "sum",
          as_tool: true,
          input: Array.from({ length: 20 }, (_, at) => ({ ...long, name: `Long${at}` })),
        },
      ],
    },
  ];
  const messages = [];
  for (const body of bodies) {
    const { id } = await hub.ask(owner, "POST", workflowsPath, { name: "Two", body });
    const { body: answer } = await hub.hub.request("POST", `${workflowsPath}/${id}/publish`, {
      headers: owner.headers,
      body: { revision: 1 },
    });
    messages.push(answer.error);
  }
  expect(messages[0]).toContain('The trigger "start" is offered as a tool already.');
  expect(messages[1]).toContain("its input schema is larger than 64 KiB");
});
