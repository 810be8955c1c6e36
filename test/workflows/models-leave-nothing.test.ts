/**
 * Protects: with HUB_WORKFLOW_MCP=draft, nothing that a model did runs later without a person. Each operation of the
 * connector `workflow` is tried on a draft that would go on by itself in every way.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { connectHttp } from "../support/connect-sdk-2.ts";
import type { TestClient } from "../support/mcp-client.ts";
import { queryDatabase } from "../support/query-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let workflows: WorkflowHub;
let client: TestClient;
const tools = new Map<string, string>();
/** Published by a person, with a manual trigger and a wait. */
let published: string;
let publishedRun: string;

const trialMs = 15 * 60_000;

/** A draft that would go on by schedules, requests, errors, waits and scheduled runs. */
const restless: WorkflowBodyInput = {
  triggers: [
    { id: "start", type: "manual", entry: "plan" },
    { id: "tick", type: "cron", schedule: "* * * * * *", entry: "plan" },
    { id: "hook", type: "webhook", path: "hook", entry: "plan" },
    { id: "failed", type: "error", source_workflow: "*", entry: "plan" },
    { id: "at", type: "schedule_at", entry: "plan" },
  ],
  nodes: [
    { id: "plan", type: "set", value: { schedule_at: "2099-01-01T00:00:00Z" } },
    { id: "pause", type: "wait", seconds: 86_400 },
    {
      id: "ask",
      type: "approval",
      title: "Go on?",
      expires_s: 86_400,
      approvers: { tags: [], users: ["admin@localhost"] },
    },
  ],
  edges: [
    { from: "plan", to: "pause" },
    { from: "plan", to: "ask" },
  ],
};

beforeAll(async () => {
  workflows = owned.use(await startWorkflowHub());
  client = owned.use(await connectHttp(workflows.hub.url, workflows.hub.adminToken()));
  const { value } = await client.call("hub_list");
  for (const { tool_id } of value.tools) tools.set(tool_id.split("/")[1], tool_id);
  published = await workflows.publish({
    triggers: [{ id: "start", type: "manual", entry: "done" }],
    nodes: [{ id: "done", type: "set", value: 1 }],
  });
  publishedRun = (await call("workflow_run_now", { workflow_id: published, wait_s: 20 })).value
    .run_id;
});
afterAll(() => owned.disposeAsync());

async function call(key: string, params: Record<string, unknown> = {}) {
  return await client.execute(tools.get(key) ?? "", params);
}

async function createDraft(): Promise<string> {
  const { value } = await call("workflow_create", { name: "Restless", body: restless });
  return value.workflow_id;
}

type Run = { state: string; due_at: number | null; created_at: number; given: string | null };

/** What goes on by itself of a workflow: its triggers, and its runs that have not ended. */
function readLater(id: string): { triggers: unknown[]; runs: Run[]; version: number } {
  const query = <Row>(statement: string) => queryDatabase<Row>(workflows.hub.dataDir, statement);
  const triggers = query(`select * from workflow_triggers where workflow_id = '${id}'`);
  const runs = query<Run>(
    `select state, due_at, created_at, given from workflow_runs where workflow_id = '${id}' and state in ('queued', 'running', 'waiting')`,
  );
  const [row] = query<{ version: number }>(`select version from workflows where id = '${id}'`);
  return { triggers, runs, version: Number(row?.version ?? 0) };
}

/** What each operation is asked to do with the draft, or with the workflow that a person published. */
const tries: Record<string, (draft: string) => Promise<unknown>> = {
  workflow_list: () => call("workflow_list"),
  workflow_get: (workflow_id) => call("workflow_get", { workflow_id }),
  workflow_create: () => call("workflow_create", { name: "Another", body: restless }),
  workflow_save: (workflow_id) =>
    call("workflow_save", { workflow_id, revision: 1, body: restless }),
  workflow_validate: (workflow_id) => call("workflow_validate", { workflow_id, body: restless }),
  workflow_publish: (workflow_id) => call("workflow_publish", { workflow_id, revision: 1 }),
  workflow_enable: (workflow_id) => call("workflow_enable", { workflow_id }),
  workflow_disable: (workflow_id) => call("workflow_disable", { workflow_id }),
  workflow_runs: (workflow_id) => call("workflow_runs", { workflow_id }),
  workflow_run_get: () =>
    call("workflow_run_get", { workflow_id: published, run_id: publishedRun }),
  async workflow_run_now(workflow_id) {
    const ids = ["start", "tick", "hook", "failed", "at"];
    for (const trigger_id of ids) {
      await call("workflow_run_now", { workflow_id, draft: true, trigger_id });
    }
    const dry = { workflow_id, draft: true, trigger_id: "at", dry_run: true };
    const { value } = await call("workflow_run_now", { ...dry, wait_s: 20 });
    for (const only_node of ["plan", "pause", "ask"]) {
      const one = { workflow_id, draft: true, only_node };
      expect((await call("workflow_run_now", one)).isError).toBeFalse();
      const from = { ...one, pins_from: value.run_id };
      expect((await call("workflow_run_now", from)).isError).toBeFalse();
    }
    // A draft alone: there is nothing that a person has published.
    const refused = await call("workflow_run_now", { workflow_id });
    expect(refused.value.code).toBe("conflict");
  },
  async workflow_replay(workflow_id) {
    const params = { workflow_id, draft: true, trigger_id: "start" };
    const { value } = await call("workflow_run_now", params);
    await call("workflow_replay", { workflow_id, run_id: value.run_id, draft: true });
  },
  async workflow_cancel(workflow_id) {
    const params = { workflow_id, draft: true, trigger_id: "start" };
    const { value } = await call("workflow_run_now", params);
    await call("workflow_cancel", { workflow_id, run_id: value.run_id });
  },
  workflow_explain: (workflow_id) => call("workflow_explain", { workflow_id }),
  workflow_approvals: () => call("workflow_approvals"),
  workflow_integration: () => call("workflow_integration"),
  workflow_trigger_types: () => call("workflow_trigger_types"),
  workflow_node_types: () => call("workflow_node_types"),
  workflow_template_test: () =>
    call("workflow_template_test", { template: "{{.Event.Type}}", event: "cron" }),
};

test("Every operation of the connector is tried", () => {
  const keys = [...tools.keys()].filter((key) => key.startsWith("workflow_"));
  expect(Object.keys(tries).sort()).toEqual(keys.sort());
});

test("After each operation, the draft has no trigger that fires, no scheduled run, and runs that end after 15 minutes", async () => {
  for (const [operation, attempt] of Object.entries(tries)) {
    const draft = await createDraft();
    await attempt(draft);
    await waitFor(async () => readLater(draft).runs.every(({ state }) => state === "waiting"));
    const { triggers, runs, version } = readLater(draft);
    expect([operation, triggers, version]).toEqual([operation, [], 0]);
    for (const { due_at, created_at, given } of runs) {
      const { endsAt } = JSON.parse(given ?? "{}");
      expect([operation, due_at]).toEqual([operation, endsAt]);
      expect(endsAt - created_at).toBeLessThanOrEqual(trialMs);
    }
  }
});

test("A published workflow that a trial starts ends with the trial and schedules nothing, and its failure starts no error workflow", async () => {
  const { triggers = [], nodes = [] } = restless;
  const manual = triggers.filter(({ type }) => type === "manual" || type === "schedule_at");
  const waits = nodes.filter(({ id }) => id === "plan" || id === "pause");
  const [patient, failing] = [
    await workflows.publish({
      triggers: manual,
      nodes: waits,
      edges: [{ from: "plan", to: "pause" }],
    }),
    await workflows.publish({
      triggers: [{ id: "start", type: "manual", entry: "stop" }],
      nodes: [{ id: "stop", type: "fail", message: "No." }],
    }),
  ];
  const watcher = await workflows.publish({
    triggers: [{ id: "failed", type: "error", source_workflow: "*", entry: "log" }],
    nodes: [{ id: "log", type: "set", value: 1 }],
  });
  const child = (id: string, workflow_id: string, wait: boolean) => ({
    id,
    type: "workflow" as const,
    workflow_id,
    wait,
  });
  // It starts the others from behind one that it started.
  const between = await workflows.publish({
    triggers: [{ id: "start", type: "manual", entry: "waited" }],
    nodes: [child("waited", patient, true)],
  });
  const body: WorkflowBodyInput = {
    triggers: [{ id: "start", type: "manual", entry: "left" }],
    nodes: [
      child("left", patient, false),
      child("between", between, false),
      child("failing", failing, true),
    ],
    edges: [
      { from: "left", to: "between" },
      { from: "between", to: "failing" },
    ],
  };
  const created = await call("workflow_create", { name: "Starts others", body });
  const { workflow_id } = created.value;
  const params = { workflow_id, draft: true, wait_s: 20 };
  const { value: trial } = await call("workflow_run_now", params);
  expect(trial.state).toBe("failed");
  await waitFor(() => readLater(patient).runs.filter(({ due_at }) => due_at !== null).length === 2);
  const [{ given } = { given: null }] = queryDatabase<Run>(
    workflows.hub.dataDir,
    `select given from workflow_runs where id = '${trial.run_id}'`,
  );
  const { endsAt } = JSON.parse(given ?? "{}");
  const [first, second] = readLater(patient).runs;
  expect([first?.due_at, second?.due_at]).toEqual([endsAt, endsAt]);
  const { body: scheduled } = await workflows.api(
    "GET",
    `/manager/api/workflows/${patient}/scheduled`,
  );
  expect(scheduled.runs).toEqual([]);
  const listWatched = async () =>
    (await call("workflow_runs", { workflow_id: watcher })).value.runs;
  // Runs of error triggers are stored with the failure that starts them.
  expect(await listWatched()).toEqual([]);
  // The published workflow itself runs as a person has published it.
  const { value: own } = await call("workflow_run_now", { workflow_id: failing, wait_s: 20 });
  expect(await listWatched()).toMatchObject([{ parent_run_id: own.run_id }]);
});

test("A resumed trial ends when the trial would have, and is not resumed after that", async () => {
  const { value: created } = await call("workflow_create", {
    name: "Fails",
    body: {
      triggers: [{ id: "start", type: "manual", entry: "stop" }],
      nodes: [{ id: "stop", type: "fail", message: "No." }],
    },
  });
  const { workflow_id } = created;
  const { value } = await call("workflow_run_now", { workflow_id, draft: true, wait_s: 20 });
  const readGiven = (run: string) =>
    queryDatabase<Run>(
      workflows.hub.dataDir,
      `select given from workflow_runs where id = '${run}'`,
    )[0]?.given;
  const path = (run: string) => `/manager/api/workflows/${workflow_id}/runs/${run}/resume`;
  const resumed = await workflows.api("POST", path(value.run_id), {});
  expect(resumed.status).toBe(200);
  const { endsAt } = JSON.parse(readGiven(value.run_id) ?? "{}");
  const again = String(resumed.body.run_id);
  expect(JSON.parse(readGiven(again) ?? "{}").endsAt).toBe(endsAt);

  const ended = async () => (await workflows.api("GET", path(again).replace("/resume", ""))).body;
  await waitFor(async () => (await ended()).state === "failed");
  queryDatabase(
    workflows.hub.dataDir,
    `update workflow_runs set given = '{"endsAt":1}' where id = '${again}'`,
  );
  const refused = await workflows.api("POST", path(again), {});
  expect(refused).toMatchObject({
    status: 409,
    body: { error: expect.stringContaining("a trial, which has ended") },
  });
});

test("A refusal says who can do it and where", async () => {
  const draft = await createDraft();
  const { isError, value } = await call("workflow_publish", { workflow_id: draft, revision: 1 });
  expect(isError).toBeTrue();
  expect(value.error).toContain("your user (admin@localhost) or an admin");
  expect(value.page).toEndWith(`/workflows/${draft}`);
});

test("The descriptions of what is left to people say so in search results, if it is left to them", async () => {
  for (const key of ["workflow_publish", "workflow_enable"]) {
    const tool_id = tools.get(key) ?? "";
    const { value } = await client.call("hub_search", { query: key.replace("_", " ") });
    const found = value.tools.find((tool: { tool_id: string }) => tool.tool_id === tool_id);
    expect(found.description).toContain("On this hub only people");
  }
});

test("The test address runs a model's draft as a trial, and not after 15 minutes, until a person saves it", async () => {
  const draft = await createDraft();
  const sent = await workflows.send(draft, "hook", { method: "POST", isTest: true });
  expect(sent.status).toBe(202);
  await waitFor(async () => readLater(draft).runs.every(({ state }) => state === "waiting"));
  expect(JSON.parse(readLater(draft).runs[0]?.given ?? "{}").endsAt).toBeGreaterThan(0);

  const old = await createDraft();
  queryDatabase(
    workflows.hub.dataDir,
    `update workflow_bodies set trial_until = 1 where workflow_id = '${old}'`,
  );
  const refused = await workflows.send(old, "hook", { method: "POST", isTest: true });
  expect(refused.status).toBe(404);
  const path = `/manager/api/workflows/${old}`;
  await waitFor(async () => {
    const { body } = await workflows.api("GET", `${path}/deliveries`);
    return JSON.stringify(body).includes("trial_over");
  });
  const saved = await workflows.api("PUT", `${path}/draft`, { revision: 1, body: restless });
  expect(saved.status).toBe(200);
  const accepted = await workflows.send(old, "hook", { method: "POST", isTest: true });
  expect(accepted.status).toBe(202);
});

test("A node of a workflow calls no operation that writes or starts workflows", async () => {
  const targets: [string, Record<string, unknown>][] = [
    ["workflow_create", { name: "By a node" }],
    ["workflow_save", { workflow_id: published, revision: 1, body: {} }],
    ["workflow_publish", { workflow_id: published, revision: 1 }],
    ["workflow_enable", { workflow_id: published }],
    ["workflow_disable", { workflow_id: published }],
    ["workflow_run_now", { workflow_id: published }],
    ["workflow_replay", { workflow_id: published, run_id: publishedRun }],
  ];
  const id = await workflows.publish({
    triggers: [{ id: "start", type: "manual", entry: "n0" }],
    nodes: targets.map(([operation, params], at) => ({
      id: `n${at}`,
      type: "operation" as const,
      on_error: "continue" as const,
      tool_id: tools.get(operation) ?? "",
      params,
    })),
    edges: targets.slice(1).map((_, at) => ({ from: `n${at}`, to: `n${at + 1}` })),
  });
  const { value } = await call("workflow_run_now", { workflow_id: id, wait_s: 20 });
  const run = await call("workflow_run_get", { workflow_id: id, run_id: value.run_id });
  const codes = run.value.steps.map((step: { error: { code: string } }) => step.error?.code);
  expect(codes).toEqual(targets.map(() => "forbidden"));
});

test("With HUB_WORKFLOW_MCP=publish, a model publishes, and with HUB_WORKFLOW_AUTHORS=admins only for admins", async () => {
  const env = { HUB_WORKFLOW_MCP: "publish", HUB_WORKFLOW_AUTHORS: "admins" };
  await using open = await startWorkflowHub({ env });
  await using model = await connectHttp(open.hub.url, open.hub.adminToken());
  const { value } = await model.call("hub_list");
  const ids: Array<{ tool_id: string }> = value.tools;
  const find = (key: string) =>
    ids.find(({ tool_id }) => tool_id.endsWith(`/${key}`))?.tool_id ?? "";
  const body = {
    triggers: [{ id: "start", type: "manual", entry: "done" }],
    nodes: [{ id: "done", type: "set", value: 1 }],
  };
  for (const key of ["workflow_publish", "workflow_enable"]) {
    const { value: tool } = await model.call("hub_get", { tool_id: find(key) });
    expect(tool.description).not.toContain("On this hub only people");
  }
  const created = await model.execute(find("workflow_create"), { name: "Mine", body });
  const params = { workflow_id: created.value.workflow_id, revision: 1 };
  const done = await model.execute(find("workflow_publish"), params);
  expect(done.value).toMatchObject({ version: 1, opened: [] });
  await model.execute(find("workflow_disable"), { workflow_id: params.workflow_id });
  const enabled = await model.execute(find("workflow_enable"), { workflow_id: params.workflow_id });
  expect(enabled.value).toMatchObject({ enabled: true });

  // For another user, authoring does not exist: it is not listed, found, shown or run.
  const user = await open.hub.addUser("bob@example.com");
  await using other = await connectHttp(open.hub.url, user.token);
  const listed = JSON.stringify((await other.call("hub_list")).value);
  const found = await other.call("hub_search", { query: "create a workflow" });
  const create = find("workflow_create");
  expect(listed).toContain("workflow_run_now");
  expect(listed + JSON.stringify(found.value.tools)).not.toContain("workflow_create");
  const absent = { tool_id: create.replace("workflow_create", "workflow_absent") };
  for (const tool of ["hub_get", "hub_execute"]) {
    const hidden = await other.call(tool, { tool_id: create });
    const unknown = await other.call(tool, absent);
    expect([hidden.value.code, hidden.value.error]).toEqual(["not_found", unknown.value.error]);
  }
  const manage = await open.hub.cli(
    ...["token", "create", "--user", user.email, "--name", "manage", "--scope", "manage", "--json"],
  );
  const { token } = manage.json<{ token: string }>();
  const show = async (path: string) => {
    const headers = { authorization: `Bearer ${token}` };
    return await (await fetch(`${open.hub.url}/manager/api${path}`, { headers })).text();
  };
  const row = create.slice("conn:".length, create.indexOf("/"));
  for (const path of [`/rows/${row}`, `/rows/${row}/operations`, "/connectors/workflow"]) {
    expect([path, await show(path)]).toEqual([path, expect.stringContaining("workflow_run_now")]);
    expect(await show(path)).not.toContain("workflow_create");
  }
  const form = (key: string) => show(`/rows/${row}/operations/${key}`);
  const missing = await form("workflow_absent");
  expect(missing).toContain("not_found");
  expect((await form("workflow_create")).replaceAll("create", "absent")).toBe(missing);
  // The admin has made calls of both.
  const { runs } = JSON.parse(await show(`/rows/${row}/runs?limit=100`));
  const others = JSON.stringify(runs.filter((run: { user: string }) => run.user !== user.email));
  expect(others).toContain("workflow_disable");
  expect(others).not.toContain("workflow_create");
});
