/**
 * Protects: what a model runs of a draft ends, whatever the draft does: it calls itself, its server is killed, or
 * its workflow gets another owner. And a draft opens no encrypted value of another user.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { connectHttp } from "../support/connect-sdk-2.ts";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";
import { findFreePort } from "../support/free-port.ts";
import type { TestClient } from "../support/mcp-client.ts";
import { queryDatabase } from "../support/query-database.ts";
import { type RecordingHost, startRecordingHost } from "../support/recording-host.ts";
import { startHub } from "../support/start-hub.ts";
import { waitFor } from "../support/wait-for.ts";
import { openWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

const trialMs = 15 * 60_000;
const workflowsPath = "/manager/api/workflows";
const owned = new AsyncDisposableStack();
let folder: DataFolder;
let host: RecordingHost;
let env: Record<string, string>;
let flows: WorkflowHub;
let client: TestClient;
const tools = new Map<string, string>();

beforeAll(async () => {
  folder = owned.use(await createDataFolder());
  host = owned.use(
    await startRecordingHost(async ({ target }) => {
      if (target === "/never") await new Promise(() => {});
      return { status: 200, body: {} };
    }),
  );
  const port = await findFreePort();
  env = {
    HUB_PORT: String(port),
    HUB_WORKFLOW_HTTP: "users",
    HUB_WORKFLOW_OUTBOUND_ALLOW: `127.0.0.1:${port},127.0.0.1:${host.port}`,
  };
  flows = owned.use(await openWorkflowHub(await startHub({ env, dataDir: folder.path })));
  client = owned.use(await connectHttp(flows.hub.url, flows.hub.adminToken()));
  const { value } = await client.call("hub_list");
  for (const { tool_id } of value.tools) tools.set(tool_id.split("/")[1], tool_id);
});
afterAll(() => owned.disposeAsync());

const callAs = async (of: TestClient, key: string, params: Record<string, unknown>) =>
  await of.execute(tools.get(key) ?? "", params);
const call = (key: string, params: Record<string, unknown>) => callAs(client, key, params);

async function createDraft(body: WorkflowBodyInput, of = client): Promise<string> {
  const { value } = await callAs(of, "workflow_create", { name: "Tried", body });
  return value.workflow_id;
}

async function tryDraft(workflow_id: string, more: object = {}): Promise<string> {
  const { value } = await call("workflow_run_now", { workflow_id, draft: true, ...more });
  return value.run_id;
}

async function makeManageToken(email: string): Promise<string> {
  const given = ["--user", email, "--name", "m", "--scope", "manage", "--json"];
  const made = await flows.hub.cli("token", "create", ...given);
  return made.json<{ token: string }>().token;
}

type Row = { id: string; state: string; created_at: number; due_at: number | null; given: string };

const listRuns = (id: string) =>
  queryDatabase<Row>(
    folder.path,
    `select id, state, created_at, due_at, given from workflow_runs where workflow_id = '${id}'`,
  );
const endOf = ({ given }: Row): number => JSON.parse(given ?? "{}").endsAt;
const isActive = ({ state }: Row) => /queued|running|waiting/.test(state);

/** The time of a trial is over. */
const letTimePass = (run: string) =>
  queryDatabase(
    folder.path,
    `update workflow_runs set given = '{"endsAt":1}', due_at = 1 where id = '${run}'`,
  );

const manual = (entry: string) => [{ id: "start", type: "manual" as const, entry }];
const post = (id: string, path: string, more: object = {}) => ({
  id,
  type: "http" as const,
  method: "POST" as const,
  url: `${host.url}/${path}`,
  ...more,
});

test("A draft that sends to its own test address ends by the limit of tests, and all its runs are trials", async () => {
  const body = (id: string): WorkflowBodyInput => ({
    triggers: [{ id: "hook", type: "webhook", path: "again", entry: "one" }],
    nodes: ["one", "two"].map((node) => ({
      ...post(node, ""),
      url: `${flows.hub.url}/webhook-test/${id}/again`,
      on_error: "continue" as const,
    })),
    edges: [{ from: "one", to: "two" }],
  });
  const id = await createDraft(body("none"));
  await call("workflow_save", { workflow_id: id, revision: 1, body: body(id) });
  const startedAt = Date.now();
  await tryDraft(id);
  await waitFor(() => {
    const runs = listRuns(id);
    return runs.length > 1 && !runs.some(isActive);
  });
  const runs = listRuns(id);
  // The window of a minute may begin again while they run.
  expect(runs.length).toBeLessThanOrEqual(1 + 2 * 60);
  for (const run of runs) expect(endOf(run) - run.created_at).toBeLessThanOrEqual(trialMs);
  for (const run of runs) expect(run.created_at).toBeGreaterThanOrEqual(startedAt - 1_000);
  // Now that the draft is old, a run of it starts no other one.
  queryDatabase(
    folder.path,
    `update workflow_bodies set trial_until = 1 where workflow_id = '${id}'`,
  );
  const before = listRuns(id).length;
  const last = await call("workflow_run_now", { workflow_id: id, draft: true, wait_s: 20 });
  expect(last.value.steps.map(({ output }: { output: unknown }) => output)).toEqual(
    Array(2).fill(expect.objectContaining({ error: expect.stringContaining("404") })),
  );
  expect(listRuns(id)).toHaveLength(before + 1);
});

test("A trial ends without another step when its workflow gets another owner, and the new owner's test is a trial too", async () => {
  const id = await createDraft({
    triggers: [...manual("pause"), { id: "hook", type: "webhook", path: "hook", entry: "pause" }],
    nodes: [{ id: "pause", type: "wait", seconds: 3600 }, post("send", "after-owner")],
    edges: [{ from: "pause", to: "send" }],
  });
  const run = await tryDraft(id, { trigger_id: "start" });
  await waitFor(() => listRuns(id).some(({ state }) => state === "waiting"));
  await flows.hub.addUser("heir@example.com");
  const token = await makeManageToken("heir@example.com");
  const path = `${workflowsPath}/${id}`;
  await flows.api("POST", `${path}/offer`, { owner: "heir@example.com" });
  const { body: offered } = await flows.api("GET", path, undefined, token);
  const given = { updated_at: offered.updated_at };
  expect((await flows.api("POST", `${path}/accept`, given, token)).status).toBe(200);
  queryDatabase(folder.path, `update workflow_steps set wake_at = 1 where run_id = '${run}'`);
  queryDatabase(folder.path, `update workflow_runs set due_at = 1 where id = '${run}'`);
  await waitFor(() => !listRuns(id).some(isActive));
  const { body: ended } = await flows.api("GET", `${path}/runs/${run}`);
  expect(ended).toMatchObject({ state: "failed", error: { code: "forbidden" } });
  // The model of the former owner reads and starts nothing of it any more.
  for (const [key, more] of [
    ["workflow_run_now", { draft: true }],
    ["workflow_replay", { run_id: run, draft: true }],
  ] as const) {
    const refused = await call(key, { workflow_id: id, ...more });
    expect([key, refused.value.code]).toEqual([key, "forbidden"]);
  }
  expect((await flows.send(id, "hook", { isTest: true })).status).toBe(202);
  const [again] = listRuns(id).filter((one) => one.id !== run);
  expect(again && endOf(again)).toBeGreaterThan(0);
  await flows.api("POST", `${path}/runs/${again?.id}/cancel`, {});
  expect(host.takeSent().map(({ target }) => target)).not.toContain("/after-owner");
});

test("What one node of a draft starts alone ends with the trial", async () => {
  const child = await flows.publish({
    triggers: manual("pause"),
    nodes: [{ id: "pause", type: "wait", seconds: 86_400 }],
  });
  for (const wait of [true, false]) {
    const id = await createDraft({
      triggers: manual("go"),
      nodes: [{ id: "go", type: "workflow", workflow_id: child, wait }],
    });
    const run = await tryDraft(id, { only_node: "go" });
    const [started] = await waitFor(() => {
      const runs = listRuns(child).filter(isActive);
      return runs.some(({ state }) => state === "waiting") && runs;
    });
    const [trial] = listRuns(id);
    expect([trial?.id, started?.due_at, started && endOf(started)]).toEqual([
      run,
      trial && endOf(trial),
      trial && endOf(trial),
    ]);
    await flows.api("POST", `${workflowsPath}/${child}/runs/${started?.id}/cancel`, {});
    await waitFor(() => !listRuns(child).some(isActive));
  }
});

test("An encrypted value of another user opens in no draft, payload, pin or template of a model", async () => {
  const secret = "s3cret-of-the-first-admin";
  const owners = await flows.publish(
    { triggers: manual("say"), nodes: [{ id: "say", type: "set", value: "{{.Secret.KEY}}" }] },
    { secrets: { KEY: secret } },
  );
  const ran = await call("workflow_run_now", { workflow_id: owners, wait_s: 20 });
  const stolen = ran.value.output;
  expect(stolen).toStartWith("hub_enc_");
  const user = await flows.hub.addUser("mallory@example.com");
  await using mallory = await connectHttp(flows.hub.url, user.token);
  const answers: string[] = [];
  const ask = async (key: string, params: Record<string, unknown>) => {
    const { value } = await callAs(mallory, key, params);
    answers.push(JSON.stringify(value));
    return value;
  };
  host.takeSent();
  const body: WorkflowBodyInput = {
    triggers: manual("send"),
    nodes: [
      post("send", "stolen", {
        headers: { "X-Key": stolen, "X-Payload": "{{.Event.Payload.token}}" },
        body: { stolen, of: "{{.Event.Payload.token}}" },
        on_error: "continue",
      }),
      { id: "read", type: "code", source: `return [${JSON.stringify(stolen)}, event.Payload]` },
      { id: "set", type: "set", value: `{{print "${stolen}"}} {{.Event.Payload.token}}` },
    ],
    edges: [
      { from: "send", to: "read" },
      { from: "read", to: "set" },
    ],
  };
  const foreign = "it belongs to another user";
  expect((await ask("workflow_create", { name: "Steal", body })).error).toContain(foreign);
  // The API stores it as a text, as it would a mistyped value.
  const token = await makeManageToken(user.email);
  const made = await flows.api("POST", workflowsPath, { name: "Steal", body }, token);
  const workflow_id = String(made.body.id);
  const trial = { workflow_id, draft: true, wait_s: 20 };
  const ended = await ask("workflow_run_now", { ...trial, payload: { token: "none" } });
  expect(ended.steps).toMatchObject([
    { node_id: "send", error: { message: expect.stringContaining(foreign) } },
    { node_id: "read" },
    { node_id: "set" },
  ]);
  await ask("workflow_run_now", { ...trial, payload: { token: "none" }, dry_run: true });
  const withToken = [
    { payload: { token: stolen } },
    { dry_run: true, pins: { send: stolen } },
    { only_node: "set", pins: { send: { deep: [stolen] } } },
  ];
  for (const given of withToken) {
    expect((await ask("workflow_run_now", { ...trial, ...given })).error).toContain(foreign);
    if (!("pins" in given)) continue;
    const path = `${workflowsPath}/${workflow_id}/runs`;
    const pinned = await flows.api("POST", path, { draft: true, ...given }, token);
    expect([pinned.status, pinned.body.error]).toEqual([
      400,
      expect.stringContaining("of another user"),
    ]);
  }
  const template = `{{.Event.Payload.token}} ${stolen}`;
  await ask("workflow_template_test", { template, event: { Payload: { token: stolen } } });
  const shown = await flows.api(
    "POST",
    `${workflowsPath}/${workflow_id}/preview`,
    { template: stolen },
    token,
  );
  expect(shown.status).toBe(200);
  answers.push(JSON.stringify(shown.body));
  const sent = host.takeSent();
  expect(sent.map(({ target }) => target)).not.toContain("/stolen");
  expect(`${answers.join("\n")}${JSON.stringify(sent)}`).not.toContain(secret);
});

// Last, because it kills the hub.
nightlyTest(
  "After kill -9, trials end at their time: one that waits, and one that was in a request, which is not repeated",
  async () => {
    const waiting = await createDraft({
      triggers: manual("pause"),
      nodes: [{ id: "pause", type: "wait", seconds: 86_400 }, post("send", "late")],
      edges: [{ from: "pause", to: "send" }],
    });
    const sending = await createDraft({
      triggers: manual("first"),
      nodes: [post("first", "never"), post("second", "late")],
      edges: [{ from: "first", to: "second" }],
    });
    host.takeSent();
    const runs = [await tryDraft(waiting), await tryDraft(sending)];
    await waitFor(() => host.takeSent().some(({ target }) => target === "/never"));
    await waitFor(() => listRuns(waiting).some(({ state }) => state === "waiting"));
    const [first] = listRuns(sending);
    await flows.hub.kill();
    await using restarted = await openWorkflowHub(await startHub({ env, dataDir: folder.path }));
    // It is unknown whether the request took effect, so the run waits, but not longer than a trial may.
    const interrupted = await waitFor(() => {
      const [run] = listRuns(sending);
      return run?.state === "waiting" && run.due_at !== null && run;
    });
    expect([interrupted.due_at, endOf(interrupted)]).toEqual(Array(2).fill(first && endOf(first)));
    for (const run of runs) letTimePass(run);
    for (const [at, id] of [waiting, sending].entries()) {
      const ended = await waitFor(async () => {
        const { body } = await restarted.api("GET", `${workflowsPath}/${id}/runs/${runs[at]}`);
        return body.state !== "waiting" && body.state !== "running" && body;
      });
      expect(ended).toMatchObject({ state: "failed", error: { code: "timeout" } });
    }
    expect(host.takeSent().map(({ target }) => target)).toEqual([]);
  },
);
