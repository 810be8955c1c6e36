/** The connector `workflow`: workflows and their runs for models, over MCP. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { connectHttp } from "../support/connect-sdk-2.ts";
import type { TestClient } from "../support/mcp-client.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let workflows: WorkflowHub;
/** Of the owner of the workflows, and of a user without tags. */
let client: TestClient;
let other: TestClient;

beforeAll(async () => {
  workflows = owned.use(await startWorkflowHub());
  const { hub } = workflows;
  client = owned.use(await connectHttp(hub.url, hub.adminToken()));
  const user = await hub.addUser("bob@example.com", { tags: ["sales"] });
  other = owned.use(await connectHttp(hub.url, user.token));
});
afterAll(() => owned.disposeAsync());

const greeting: WorkflowBodyInput = {
  triggers: [
    {
      id: "start",
      type: "manual",
      entry: "greet",
      label: "Greet",
      input: [{ name: "Name", tag: "required;desc=Whom to greet" }],
    },
  ],
  nodes: [{ id: "greet", type: "set", value: { text: "Hello {{.Event.Payload.name}}" } }],
};
const waiting: WorkflowBodyInput = {
  triggers: [{ id: "start", type: "manual", entry: "pause" }],
  nodes: [{ id: "pause", type: "wait", seconds: 3600 }],
};

/** The ids of the connector's tools by their keys, as the client sees them. */
async function listTools(of: TestClient): Promise<Record<string, string>> {
  const { value } = await of.call("hub_list");
  const tools: Array<{ tool_id: string }> = value.tools;
  return Object.fromEntries(tools.map(({ tool_id }) => [tool_id.split("/")[1] ?? "", tool_id]));
}

async function call(of: TestClient, key: string, params: Record<string, unknown> = {}) {
  const toolId = (await listTools(of))[key] ?? "";
  return await of.execute(toolId, params);
}

test("The operations on workflows are tools of every user", async () => {
  const { value } = await other.call("hub_list");
  const tools: Array<{ tool_id: string; destructive?: boolean }> = value.tools;
  const keys = tools.map(({ tool_id }) => tool_id.split("/")[1]);
  expect(keys.filter((key) => key?.startsWith("workflow_"))).toEqual([
    "workflow_list",
    "workflow_get",
    "workflow_create",
    "workflow_save",
    "workflow_validate",
    "workflow_publish",
    "workflow_enable",
    "workflow_disable",
    "workflow_runs",
    "workflow_run_get",
    "workflow_run_now",
    "workflow_replay",
    "workflow_cancel",
    "workflow_explain",
    "workflow_approvals",
    "workflow_integration",
    "workflow_trigger_types",
    "workflow_node_types",
    "workflow_template_test",
  ]);
});

test("A model finds a workflow, reads its payload schema, starts it and reads its outcome", async () => {
  const id = await workflows.publish(greeting, { name: "Greeter" });
  const listed = await call(client, "workflow_list", { q: "greet" });
  expect(listed.value).toMatchObject({ workflows: [{ id, version: 1, may_start: true }] });

  const shown = await call(client, "workflow_get", { workflow_id: id });
  expect(shown.value).toMatchObject({
    body: { triggers: [{ id: "start" }] },
    manual_triggers: [
      {
        id: "start",
        label: "Greet",
        payload_schema: {
          properties: { name: { type: "string", description: "Whom to greet" } },
          required: ["name"],
        },
      },
    ],
  });

  const invalid = await call(client, "workflow_run_now", { workflow_id: id });
  expect([invalid.isError, invalid.value.code]).toEqual([true, "invalid_params"]);

  const params = { workflow_id: id, payload: { name: "Ada" } };
  const waited = await call(client, "workflow_run_now", { ...params, wait_s: 20 });
  expect(waited.value).toMatchObject({ state: "succeeded", output: { text: "Hello Ada" } });
  expect(waited.value).not.toHaveProperty("note");

  const started = await call(client, "workflow_run_now", params);
  const runs = await call(client, "workflow_runs", { workflow_id: id, limit: 1 });
  expect(runs.value).toMatchObject({
    runs: [{ id: started.value.run_id }],
    next: expect.any(String),
  });
  const { run_id } = waited.value;
  const run = await call(client, "workflow_run_get", { workflow_id: id, run_id });
  expect(run.value).toMatchObject({
    state: "succeeded",
    steps_total: 1,
    event: { Payload: { name: "Ada" } },
    steps: [{ node_id: "greet", output: { text: "Hello Ada" } }],
  });
});

test("Long values of a run are cut, and shown for one node", async () => {
  const text = "x".repeat(10_000);
  const id = await workflows.publish(greeting);
  const payload = { name: text };
  const ran = await call(client, "workflow_run_now", { workflow_id: id, payload, wait_s: 20 });
  const target = { workflow_id: id, run_id: ran.value.run_id };
  const cut = await call(client, "workflow_run_get", target);
  expect(cut.text.length).toBeLessThan(12_000);
  const whole = await call(client, "workflow_run_get", { ...target, node_id: "greet" });
  expect(whole.value.steps[0].output.text).toBe(`Hello ${text}`);
  const none = await call(client, "workflow_run_get", { ...target, node_id: "absent" });
  expect(none.value).toMatchObject({ steps: [], steps_total: 0 });
});

test("A model runs the draft of its user's workflow, and admins no draft of another user", async () => {
  const { id } = (
    await workflows.api("POST", "/manager/api/workflows", { name: "Draft", body: greeting })
  ).body;
  const params = { workflow_id: id, payload: { name: "Ada" }, wait_s: 20 };
  const refused = await call(client, "workflow_run_now", params);
  expect([refused.isError, refused.value.code]).toEqual([true, "conflict"]);
  const ran = await call(client, "workflow_run_now", { ...params, draft: true });
  expect(ran.value).toMatchObject({ state: "succeeded" });

  const { hub } = workflows;
  const admin = await hub.addUser("root@example.com", { admin: true });
  await using second = await connectHttp(hub.url, admin.token);
  const others = await call(second, "workflow_run_now", { ...params, draft: true });
  expect([others.isError, others.value.code]).toEqual([true, "forbidden"]);
});

test("A user who shares a tag starts a workflow and sees neither its body nor its steps", async () => {
  const id = await workflows.publish(greeting);
  const hidden = await call(other, "workflow_get", { workflow_id: id });
  expect([hidden.isError, hidden.value.code]).toEqual([true, "not_found"]);

  const tagged = await workflows.api("PUT", `/manager/api/workflows/${id}/tags`, {
    tags: ["sales"],
  });
  expect(tagged.status).toBe(200);
  const shown = await call(other, "workflow_get", { workflow_id: id });
  expect(shown.value).toMatchObject({ body: null, manual_triggers: [{ id: "start" }] });
  const params = { workflow_id: id, payload: { name: "Bob" }, wait_s: 20 };
  const ran = await call(other, "workflow_run_now", params);
  expect(ran.value).toMatchObject({ state: "succeeded" });
  const { run_id } = ran.value;
  const run = await call(other, "workflow_run_get", { workflow_id: id, run_id });
  expect(run.value).toMatchObject({ state: "succeeded", steps: null, event: null });
});

test("A value token in the payload stays a token in the stored run", async () => {
  const id = await workflows.publish(greeting);
  const sealed = await workflows.hub.tryCli(["encrypt", "--user", "admin@localhost"], {
    stdin: "pl4intext-of-ada",
  });
  const payload = { name: sealed.stdout.trim() };
  const ran = await call(client, "workflow_run_now", { workflow_id: id, payload, wait_s: 20 });
  expect(ran.value).toMatchObject({ state: "succeeded" });
  const path = `/manager/api/workflows/${id}/runs/${ran.value.run_id}`;
  const stored = JSON.stringify((await workflows.api("GET", path)).body);
  expect(stored).toContain("hub_enc_");
  expect(stored).not.toContain("pl4intext-of-ada");
});

test("A model cancels a run that waits", async () => {
  const id = await workflows.publish(waiting);
  const { value } = await call(client, "workflow_run_now", { workflow_id: id });
  const target = { workflow_id: id, run_id: value.run_id };
  const cancelled = await call(client, "workflow_cancel", target);
  expect(cancelled.isError).toBeFalse();
  await waitFor(async () => {
    const run = await call(client, "workflow_run_get", target);
    return run.value.state === "cancelled";
  });
  const again = await call(client, "workflow_cancel", target);
  expect([again.isError, again.value.code]).toEqual([true, "conflict"]);
});

test("A node of a workflow does not start runs by the tool, whose depth would not be counted", async () => {
  const { workflow_run_now: tool = "" } = await listTools(client);
  const greeter = await workflows.publish(greeting);
  const params = { workflow_id: greeter, payload: { name: "Ada" } };
  const id = await workflows.publish({
    triggers: [{ id: "start", type: "manual", entry: "again" }],
    nodes: [{ id: "again", type: "operation", tool_id: tool, params }],
  });
  const { value } = await call(client, "workflow_run_now", { workflow_id: id, wait_s: 20 });
  expect(value).toMatchObject({
    state: "failed",
    error: expect.stringContaining("a node of type workflow"),
  });
});

test("Channels are an empty list, and trigger types have the schemas of fields and payload", async () => {
  const channels = await call(client, "workflow_integration");
  expect(channels.value).toEqual({ channels: [] });
  const { value } = await call(client, "workflow_trigger_types");
  const types: Array<{ type: string }> = value.trigger_types;
  expect(types.map(({ type }) => type).sort()).toEqual([
    "channel",
    "cron",
    "error",
    "manual",
    "schedule_at",
    "webhook",
  ]);
  const whole = await call(client, "workflow_trigger_types", { type: "cron" });
  expect(whole.value.trigger_types).toHaveLength(1);
  expect(whole.value.trigger_types[0]).toMatchObject({
    fields: { $ref: "#/$defs/CronTrigger" },
    payload_schema: { properties: { timezone: { type: "string" } } },
  });
});

test("A model saves a draft, learns its problems at once, and is told what changed since it read it", async () => {
  const created = await call(client, "workflow_create", { name: "Signed", body: {} });
  const { workflow_id, revision } = created.value;
  const body = {
    triggers: [
      { id: "hook", type: "webhook", path: "in", secret_ref: "KEY", entry: "sum" },
      { id: "daily", type: "cron", schedule: "0 30 6 * * *", timezone: "UTC", entry: "sum" },
    ],
    nodes: [{ id: "sum", type: "set", valu: 1 }],
  };
  const saved = await call(client, "workflow_save", { workflow_id, revision, body });
  expect(saved.value).toMatchObject({
    revision: 2,
    version: 0,
    secrets_to_set: ["KEY"],
    webhooks: [{ trigger_id: "hook", is_secret_set: false }],
    next_ticks: [
      {
        trigger_id: "daily",
        next: Array(3).fill(expect.stringContaining("T06:30:00")),
      },
    ],
    test_with: { workflow_id, draft: true, trigger_id: "hook" },
  });
  expect(saved.value.webhooks[0].signature).toContain("X-Hub-Sig: sha256=");
  expect(JSON.stringify(saved.value.problems)).toContain('Did you mean \\"value\\"');
  expect(saved.value.next).toContain("revision 2");

  const stale = await call(client, "workflow_save", { workflow_id, revision, body: {} });
  expect(stale.value).toMatchObject({ code: "conflict", revision: 2 });
  expect(stale.value).toHaveProperty("difference");
});

test("A template is tried with given data, with a sample event, and without a template there is a guide", async () => {
  const given = await call(client, "workflow_template_test", {
    template: "{{.Node.list.items}}",
    data: { Node: { list: { items: [1] } } },
  });
  expect(given.value).toMatchObject({ value: [1], type: "list", error: null });
  const sample = await call(client, "workflow_template_test", {
    template: "{{.Event.Payload.body.id | upper}}",
    event: "webhook",
  });
  expect([sample.value.event, sample.value.Event?.Type]).toContain("webhook");
  const guide = await call(client, "workflow_template_test");
  expect(guide.value.functions).toContain("toJSON");
});

/** Creates a draft and returns the answer, which says how to test it. */
async function createDraft(body: unknown) {
  const { value } = await call(client, "workflow_create", { name: "Tried", body });
  return value;
}

const stop = { id: "stop", type: "fail", message: "No items." };

test("The test of a draft has what its first trigger says of the payload", async () => {
  const findPayload = async (trigger: Record<string, unknown>) => {
    const triggers = [{ id: "start", entry: "stop", ...trigger }];
    return (await createDraft({ triggers, nodes: [stop] })).test_with.payload;
  };
  expect(await findPayload({ type: "webhook", path: "quote" })).toMatchObject({
    method: "POST",
    path: "quote",
    body: { id: 7 },
  });
  expect(await findPayload({ type: "webhook", method: ["GET", "PUT"] })).toEqual({
    method: "GET",
    path: "",
    headers: {},
    query: {},
  });
  const failed = { type: "error", source_workflow: "orders-k3x9qa", severity: ["critical"] };
  expect(await findPayload(failed)).toMatchObject({
    workflow_id: "orders-k3x9qa",
    severity: "critical",
  });
  const schedule = "0 15 4 * * *";
  expect(await findPayload({ type: "cron", schedule, timezone: "UTC" })).toMatchObject({
    schedule,
    timezone: "UTC",
    time: expect.stringContaining("T04:15:00"),
  });
  const { test_with } = await createDraft({
    triggers: [{ id: "start", type: "cron", schedule: 1 }],
  });
  expect(test_with).toMatchObject({ trigger_id: "start" });
});

test("A missing secret is a problem that a person solves, and says whether the test fails before", async () => {
  const body = {
    triggers: [{ id: "hook", type: "webhook", secret_ref: "SIGN", entry: "stop" }],
    nodes: [{ ...stop, message: "{{.Secret.KEY}}" }],
  };
  const created = await createDraft(body);
  const { workflow_id } = created;
  const checked = await call(client, "workflow_validate", { workflow_id });
  for (const { problems } of [created, checked.value]) {
    expect(problems).toMatchObject([
      {
        path: "/triggers/0/secret_ref",
        hint: "A person sets it on the page of the workflow. The draft can be tested before.",
      },
      {
        path: "/nodes/0/message",
        hint: "A person sets it on the page of the workflow. The draft can be tested before, but this step fails until then.",
      },
    ]);
  }
  expect(created.next).toContain("steps that read a secret fail until then");
  const ran = await call(client, "workflow_run_now", created.test_with);
  expect(ran.value.steps).toMatchObject([{ node_id: "stop", error: { code: "secret_missing" } }]);
});

test("The steps of a draft run and of a dry run have their inputs, and a dry run says what it left out", async () => {
  const { workflow_list: tool_id = "" } = await listTools(client);
  const target = await workflows.publish(waiting);
  const nodes = [
    { id: "load", type: "operation", tool_id, params: { limit: "1" } },
    { id: "child", type: "workflow", workflow_id: target, wait: false },
  ];
  const body = {
    triggers: [{ id: "start", type: "manual", entry: "load" }],
    nodes,
    edges: [{ from: "load", to: "child" }],
  };
  const { test_with, workflow_id, revision } = await createDraft(body);
  const real = await call(client, "workflow_run_now", test_with);
  const dry = await call(client, "workflow_run_now", { ...test_with, dry_run: true });
  for (const { value } of [real, dry]) {
    expect(value.steps).toMatchObject([
      { node_id: "load", input: { params: { limit: "1" } } },
      { node_id: "child", input: { workflow_id: target } },
    ]);
  }
  // Nothing follows the step whose output is not known.
  expect(dry.value).toMatchObject({
    state: "unknown",
    note: expect.stringMatching(/^Nothing was sent\..*That is no failure\.$/),
  });

  const longer = {
    ...body,
    nodes: [...nodes, { id: "last", type: "set", value: 1 }],
    edges: [...body.edges, { from: "child", to: "last" }],
  };
  await call(client, "workflow_save", { workflow_id, revision, body: longer });
  const cut = await call(client, "workflow_run_now", { ...test_with, dry_run: true });
  expect(cut.value.note).toContain("did not run, because its output is not known");
  const pinned = { ...test_with, dry_run: true, pins: { child: "a run" } };
  const whole = await call(client, "workflow_run_now", pinned);
  expect(whole.value).toMatchObject({ state: "succeeded" });
  expect(whole.value).not.toHaveProperty("note");
});

test("One node of a draft runs alone, with outputs that are given or those of an earlier run", async () => {
  const nodes = [
    { id: "load", type: "set", value: [1, 2, 3] },
    { id: "ask", type: "approval", title: "Go on?", approvers: { users: ["admin@localhost"] } },
    { id: "sum", type: "code", source: "return node.load.length + event.Payload.more;" },
    { id: "say", type: "set", value: "{{.Node.load}} {{.Event.Payload.more}}" },
  ];
  const edges = [
    { from: "load", to: "ask" },
    { from: "ask", to: "sum", case: "approved" },
    { from: "sum", to: "say" },
  ];
  const triggers = [{ id: "start", type: "manual", entry: "load" }];
  const { workflow_id } = await createDraft({ triggers, nodes, edges });
  const draft = { workflow_id, draft: true, wait_s: 20 };
  const asks = await call(client, "workflow_run_now", {
    ...draft,
    payload: { more: 4 },
    wait_s: 0,
  });
  const pins_from = asks.value.run_id;
  await waitFor(async () => {
    const { value } = await call(client, "workflow_run_get", { workflow_id, run_id: pins_from });
    return value.state === "waiting";
  });
  const from = { ...draft, pins_from };
  const sum = await call(client, "workflow_run_now", { ...from, only_node: "sum" });
  expect(sum.value).toMatchObject({
    state: "succeeded",
    output: 7,
    steps: [{ node_id: "sum", state: "succeeded", output: 7 }],
  });
  const load = { load: ["pinned"] };
  const given = { ...draft, only_node: "say", pins: load, payload: { more: 5 } };
  const say = await call(client, "workflow_run_now", given);
  expect(say.value.steps).toMatchObject([{ node_id: "say", output: '["pinned"] 5' }]);
  const dry = await call(client, "workflow_run_now", {
    workflow_id,
    dry_run: true,
    draft: true,
    pins_from,
    pins: { ask: "approved" },
    wait_s: 20,
  });
  expect(dry.value).toMatchObject({ state: "succeeded", output: "[1,2,3] 4" });
  const pinned = dry.value.steps.filter(({ pinned: is }: { pinned?: boolean }) => is);
  expect(pinned.map(({ node_id }: { node_id: string }) => node_id)).toEqual(["ask"]);

  const refuse = async (params: object) => {
    const { isError, value } = await call(client, "workflow_run_now", { ...draft, ...params });
    expect(isError).toBeTrue();
    return `${value.code}: ${value.error}`;
  };
  expect(await refuse({ only_node: "say" })).toContain('reads the output of "load"');
  expect(await refuse({ only_node: "sam", pins: load })).toContain('Did you mean "sum"?');
  expect(await refuse({ pins_from })).toContain("Add dry_run or only_node");
  // The approval before it would not be asked.
  expect(await refuse({ draft: false, only_node: "sum", pins: load })).toContain(
    "only_node tests a node of the draft",
  );
});

test("Only runs of the same workflow, for those who manage it, give the outputs of a trial", async () => {
  const body = {
    triggers: [{ id: "start", type: "manual", entry: "load" }],
    nodes: [{ id: "load", type: "set", value: "of the owner" }],
  };
  const own = await createDraft(body);
  const another = await createDraft(body);
  const { workflow_id } = own;
  const ran = await call(client, "workflow_run_now", { ...own.test_with, wait_s: 20 });
  const pins_from = ran.value.run_id;
  const absent = crypto.randomUUID();
  const only_node = "load";
  const draft = { draft: true, only_node };
  const codeOf = async (of: TestClient, params: object) => {
    const { value } = await call(of, "workflow_run_now", { ...draft, ...params });
    return [value.code, value.error];
  };
  const foreign = await codeOf(client, { workflow_id: another.workflow_id, pins_from });
  expect(foreign[0]).toBe("not_found");
  const unknown = await codeOf(client, { workflow_id: another.workflow_id, pins_from: absent });
  expect(foreign).toEqual(unknown);
  // Another user may not even know of the run.
  const made = await call(other, "workflow_create", { name: "Of Bob", body });
  const bobs = { workflow_id: made.value.workflow_id };
  expect(await codeOf(other, { ...bobs, pins_from })).toEqual(unknown);
  expect(await codeOf(other, { workflow_id, pins_from })).toEqual(
    await codeOf(other, { workflow_id: "absent-000000", pins_from }),
  );
});

test("A failing draft that a model runs starts no published error triggers, and one of a person who asks for it does", async () => {
  const triggers = [{ id: "start", type: "manual", entry: "stop" }];
  const { test_with, workflow_id } = await createDraft({ triggers, nodes: [stop] });
  const watcher = await workflows.publish({
    triggers: [{ id: "failed", type: "error", source_workflow: workflow_id, entry: "log" }],
    nodes: [{ id: "log", type: "set", value: "{{.Event.Payload.node_id}}" }],
  });
  const dry = await call(client, "workflow_run_now", { ...test_with, dry_run: true });
  const trial = await call(client, "workflow_run_now", test_with);
  const path = `/manager/api/workflows/${workflow_id}/runs`;
  const { body: own } = await workflows.api("POST", path, {
    draft: true,
    error_triggers: true,
    wait_s: 20,
  });
  expect([dry.value.state, trial.value.state, own.state]).toEqual(["failed", "failed", "failed"]);
  // The runs of error triggers are stored with the failure that starts them.
  const { value } = await call(client, "workflow_runs", { workflow_id: watcher });
  expect(value.runs).toMatchObject([{ parent_run_id: own.run_id }]);
});

test("Several types of nodes are described at once, and the hint at an unknown one names the nearest", async () => {
  const both = await call(client, "workflow_node_types", { type: "code, set,code" });
  const types = both.value.node_types.map(({ type }: { type: string }) => type);
  expect(types.sort()).toEqual(["code", "set"]);
  expect(both.value.every_node).toHaveProperty("on_error");
  const wrong = await call(client, "workflow_node_types", { type: "set,swich" });
  expect([wrong.isError, wrong.value.code]).toEqual([true, "invalid_params"]);
  expect(wrong.value.error).toContain('Did you mean "switch"?');
});

test("The description of a new workflow says how scripts read data and return, and its size is bounded", async () => {
  const { workflow_create: tool_id = "", workflow_run_now = "" } = await listTools(client);
  const create = await client.call("hub_get", { tool_id });
  expect(create.value.description).toContain("return {sum: event.Payload.body.items.length}");
  expect(create.text.length).toBeLessThan(4_200);
  const run = await client.call("hub_get", { tool_id: workflow_run_now });
  expect(run.text.length).toBeLessThan(3_000);
});

test("The answers about types are small enough for the context of a model", async () => {
  for (const key of ["workflow_node_types", "workflow_trigger_types"]) {
    const all = await call(client, key);
    expect(all.text.length).toBeLessThan(7_000);
    for (const { type } of all.value.node_types ?? all.value.trigger_types) {
      expect((await call(client, key, { type })).text.length).toBeLessThan(4_200);
    }
  }
  const two = await call(client, "workflow_node_types", { type: "code,webhook_respond" });
  expect(two.text.length).toBeLessThan(4_000);
});
