/** Protects: a resumed run repeats no step that is committed, and a step that may have happened only by a decision. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import type { WorkflowRunDetail } from "@hub/contract/workflow-run.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { createDataFolder } from "../support/data-folder.ts";
import { queryDatabase } from "../support/query-database.ts";
import { type RecordingHost, startRecordingHost } from "../support/recording-host.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { waitFor } from "../support/wait-for.ts";
import { openWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

type Nodes = NonNullable<WorkflowBodyInput["nodes"]>;
type Answer = { status: number; body: Record<string, unknown> };

let host: RecordingHost;
let flows: WorkflowHub;
let other: RunningHub;
let env: Record<string, string>;
/** Answers by path; the default is 200. */
const answers: Record<string, number | "never"> = {};

beforeAll(async () => {
  host = await startRecordingHost(async ({ target }) => {
    const answer = answers[target] ?? 200;
    if (answer === "never") await new Promise(() => {});
    return { status: Number(answer), body: { target } };
  });
  env = { HUB_WORKFLOW_OUTBOUND_ALLOW: `127.0.0.1:${host.port}` };
  flows = await openWorkflowHub(await startHub({ env }));
  other = await startHub({ env, dataDir: flows.hub.dataDir });
});
afterAll(async () => {
  await other.stop();
  await flows[Symbol.asyncDispose]();
  await host[Symbol.asyncDispose]();
});
beforeEach(() => {
  for (const path of Object.keys(answers)) delete answers[path];
  host.takeSent();
});

const post = (id: string, more: object = {}) => ({
  id,
  type: "http" as const,
  method: "POST" as const,
  url: `${host.url}/${id}`,
  ...more,
});

function chain(nodes: Nodes, more: Partial<WorkflowBodyInput> = {}): WorkflowBodyInput {
  return {
    triggers: [{ id: "start", type: "manual", entry: nodes[0]?.id ?? "" }],
    nodes,
    edges: nodes.slice(1).map(({ id }, at) => ({ from: nodes[at]?.id ?? "", to: id })),
    ...more,
  };
}

const runsOf = (id: string) => `/manager/api/workflows/${id}/runs`;

async function findEnd(id: string, runId: unknown, states = /succeeded|failed|waiting|cancelled/) {
  return await waitFor(async () => {
    const { body } = await flows.api("GET", `${runsOf(id)}/${runId}`);
    // Safe: the API's answer has this shape.
    const run = body as unknown as WorkflowRunDetail;
    return states.test(run.state) && run;
  });
}

async function run(id: string, payload: object = {}): Promise<WorkflowRunDetail> {
  const { body } = await flows.api("POST", runsOf(id), { payload });
  return await findEnd(id, body.run_id);
}

const resume = (id: string, runId: string, body: object = {}): Promise<Answer> =>
  flows.api("POST", `${runsOf(id)}/${runId}/resume`, body);

const takeSent = () =>
  host.takeSent().map(({ target, headers }) => [target, headers["idempotency-key"]]);
const takePaths = () => takeSent().map(([path]) => path);

const messageOf = ({ body }: Answer) => JSON.stringify(body.error);

test("A resumed run repeats no step that succeeded, and a refused one is another request", async () => {
  const id = await flows.publish(chain([post("a"), post("b"), post("c")]));
  answers["/b"] = 422;
  const failed = await run(id);
  expect(takePaths()).toEqual(["/a", "/b"]);
  const resumed = await resume(id, failed.id);
  expect(resumed).toMatchObject({
    status: 200,
    body: { is_same_run: false, taken_over: ["a"], runs_again: ["b"] },
  });
  const again = await findEnd(id, resumed.body.run_id);
  expect([again.state, again.parent_run_id]).toEqual(["failed", failed.id]);
  expect(takeSent()).toEqual([["/b", `${failed.id}:b:-1:1`]]);
  expect(await resume(id, failed.id)).toMatchObject({ status: 409 });
  answers["/b"] = 200;
  const third = await resume(id, again.id);
  const ended = await findEnd(id, third.body.run_id);
  expect(ended.state).toBe("succeeded");
  expect(takeSent()).toEqual([
    ["/b", `${failed.id}:b:-1:2`],
    ["/c", `${failed.id}:c:-1:0`],
  ]);
  expect(ended.event).toEqual(failed.event);
  expect(ended.steps?.map((step) => [step.node_id, step.is_taken_over])).toEqual([
    ["a", true],
    ["b", false],
    ["c", false],
  ]);
  expect(await resume(id, ended.id)).toMatchObject({ status: 409 });
});

test("Of for_each, only the items that did not succeed run again, and a joined branch is not repeated", async () => {
  const id = await flows.publish(
    chain(
      [{ id: "begin", type: "set", value: [0, 1, 2, 3] }, post("side"), post("item"), post("join")],
      {
        nodes: [
          { id: "begin", type: "set", value: [0, 1, 2, 3] },
          post("side"),
          post("route", { on_error: "route", url: `${host.url}/route` }),
          post("item", { for_each: "{{.Node.begin}}", url: `${host.url}/item/{{.Index}}` }),
          post("join"),
        ],
        edges: [
          { from: "begin", to: "side" },
          { from: "begin", to: "route" },
          { from: "side", to: "item" },
          { from: "item", to: "join" },
          { from: "route", to: "join", case: "error" },
        ],
      },
    ),
  );
  answers["/route"] = 404;
  answers["/item/2"] = 400;
  const failed = await run(id);
  expect(takePaths().sort()).toEqual(["/item/0", "/item/1", "/item/2", "/route", "/side"]);
  answers["/item/2"] = 200;
  const resumed = await resume(id, failed.id);
  expect((await findEnd(id, resumed.body.run_id)).state).toBe("succeeded");
  expect(takePaths()).toEqual(["/item/2", "/item/3", "/join"]);
});

test("With another body, steps are taken over only of nodes that have not changed and follow no change", async () => {
  const nodes = [post("a"), post("b"), post("c"), post("d")];
  const id = await flows.publish(chain(nodes));
  answers["/d"] = 400;
  const failed = await run(id);
  takePaths();
  const changed = [post("a", { label: "First" }), post("b", { url: `${host.url}/new` }), post("c")];
  const body = chain([...changed, post("renamed")]);
  expect(
    (await flows.api("PUT", `/manager/api/workflows/${id}/draft`, { revision: 1, body })).status,
  ).toBe(200);
  const preview = await flows.api("GET", `${runsOf(id)}/${failed.id}/resume?body=draft`);
  expect(preview.body).toEqual({
    is_same_run: false,
    taken_over: ["a"],
    runs_again: ["b", "c"],
    undecided: [],
  });
  const wrong = await resume(id, failed.id, {
    body: "draft",
    decisions: [{ node_id: "renamd", decision: "repeat" }],
  });
  expect([wrong.status, messageOf(wrong)]).toEqual([400, expect.stringContaining("renamed")]);
  const resumed = await resume(id, failed.id, { body: "draft" });
  expect((await findEnd(id, resumed.body.run_id)).state).toBe("succeeded");
  expect(takePaths()).toEqual(["/new", "/c", "/renamed"]);
});

test("A step that may have happened needs a decision: its key stays, or its output is given", async () => {
  const id = await flows.publish(
    chain([post("a"), post("b"), post("c", { url: "{{.Node.b.to}}" })]),
  );
  answers["/b"] = 503;
  const failed = await run(id);
  expect(failed.steps?.[1]).toMatchObject({ state: "failed", may_have_happened: true });
  const [, sent] = takeSent();
  const undecided = await resume(id, failed.id);
  expect([undecided.status, messageOf(undecided)]).toEqual([
    409,
    expect.stringContaining('Decide about the step \\"b\\"'),
  ]);
  const repeat = await resume(id, failed.id, { decisions: [{ node_id: "b", decision: "repeat" }] });
  const again = await findEnd(id, repeat.body.run_id);
  expect(takeSent()).toEqual([["/b", sent?.[1]]]);
  const refused = await resume(id, again.id, { decisions: [{ node_id: "b", decision: "failed" }] });
  expect(refused.status).toBe(400);
  const output = { to: `${host.url}/c` };
  const decisions = [{ node_id: "b", decision: "succeeded", output }];
  const given = await resume(id, again.id, { decisions });
  const ended = await findEnd(id, given.body.run_id);
  expect(takePaths()).toEqual(["/c"]);
  expect(ended.steps?.find(({ node_id }) => node_id === "b")).toMatchObject({
    state: "succeeded",
    is_decided: true,
    output,
    warnings: [expect.stringContaining("decided that this step succeeded")],
  });
});

test("After kill -9, a waiting run goes on by a decision, and of two at once on two servers one wins", async () => {
  const id = await flows.publish(chain([post("first"), post("slow"), post("last")]));
  await using third = await startHub({ env, dataDir: flows.hub.dataDir });
  answers["/slow"] = "never";
  // The server that accepts a run works on it.
  const token = await flows.hub.makeManageToken();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const started = await fetch(`${third.url}${runsOf(id)}`, { method: "POST", headers, body: "{}" });
  const { run_id: runId } = (await started.json()) as { run_id: string };
  const sent: ReturnType<typeof takeSent> = [];
  await waitFor(() => {
    sent.push(...takeSent());
    return sent.length === 2;
  });
  expect(await resume(id, runId)).toMatchObject({ status: 409 });
  await third.kill();
  const waiting = await findEnd(id, runId);
  expect(waiting).toMatchObject({ state: "waiting", waiting_for: { kind: "person" } });
  const preview = await flows.api("GET", `${runsOf(id)}/${runId}/resume`);
  expect(preview.body).toMatchObject({
    is_same_run: true,
    taken_over: ["first"],
    undecided: [{ node_id: "slow", item: null }],
  });
  expect(await resume(id, runId, { body: "draft" })).toMatchObject({ status: 409 });
  answers["/slow"] = 200;
  const body = JSON.stringify({ decisions: [{ node_id: "slow", decision: "repeat" }] });
  const ask = (url: string) =>
    fetch(`${url}${runsOf(id)}/${runId}/resume`, { method: "POST", headers, body });
  const both = await Promise.all([ask(flows.hub.url), ask(other.url)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  const ended = await findEnd(id, runId, /succeeded|failed/);
  expect(ended.state).toBe("succeeded");
  // The same key, so that the other system can recognize the repetition.
  expect(takeSent()).toEqual([sent[1] ?? [], ["/last", `${runId}:last:-1:0`]]);
});

test("A decision that ends the run is refused beside one that repeats a step, which would be forgotten", async () => {
  const entry = { id: "list", type: "set" as const, value: 1 };
  const id = await flows.publish({
    triggers: [{ id: "start", type: "manual", entry: "list" }],
    nodes: [entry, post("one"), post("two"), { id: "end", type: "set", value: "done" }],
    edges: [
      { from: "list", to: "one" },
      { from: "list", to: "two" },
      { from: "one", to: "end" },
      { from: "two", to: "end" },
    ],
  });
  await using third = await startHub({ env, dataDir: flows.hub.dataDir });
  for (const path of ["/one", "/two"]) answers[path] = "never";
  const token = await flows.hub.makeManageToken();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const started = await fetch(`${third.url}${runsOf(id)}`, { method: "POST", headers, body: "{}" });
  const { run_id: runId } = (await started.json()) as { run_id: string };
  const sent: ReturnType<typeof takeSent> = [];
  await waitFor(() => {
    sent.push(...takeSent());
    return sent.length === 2;
  });
  await third.kill();
  await findEnd(id, runId, /waiting/);
  for (const path of ["/one", "/two"]) answers[path] = 200;
  const decide = (one: string, two: string) =>
    resume(id, runId, {
      decisions: [
        { node_id: "one", decision: one },
        { node_id: "two", decision: two },
      ],
    });
  const refused = await decide("failed", "repeat");
  expect([refused.status, messageOf(refused)]).toEqual([
    400,
    expect.stringContaining('Choose repeat for both, or say how \\"two\\" ended'),
  ]);
  expect(await decide("failed", "failed")).toMatchObject({ status: 200 });
  const failed = await findEnd(id, runId, /failed/);
  expect(failed.steps).toMatchObject([
    { node_id: "list", state: "succeeded" },
    { node_id: "one", state: "failed", is_decided: true },
    { node_id: "two", state: "failed", is_decided: true },
  ]);
  expect(takePaths()).toEqual([]);
  const { body } = await resume(id, runId);
  expect(await findEnd(id, body.run_id)).toMatchObject({ state: "succeeded" });
  expect(takePaths().sort()).toEqual(["/one", "/two"]);
});

test("Two servers that resume one failed run at once start one new run", async () => {
  const id = await flows.publish(chain([post("a"), post("b")]));
  answers["/b"] = 400;
  const failed = await run(id);
  takePaths();
  answers["/b"] = 200;
  const token = await flows.hub.makeManageToken();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const ask = (url: string) =>
    fetch(`${url}${runsOf(id)}/${failed.id}/resume`, { method: "POST", headers, body: "{}" });
  const both = await Promise.all([ask(flows.hub.url), ask(other.url)]);
  expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
  const won = both.find(({ status }) => status === 200);
  const { run_id: runId } = (await won?.json()) as { run_id: string };
  expect((await findEnd(id, runId)).state).toBe("succeeded");
  expect(takePaths()).toEqual(["/b"]);
});

/** Asks, and then sends two requests with a secret. */
const asking = (): WorkflowBodyInput => ({
  triggers: [{ id: "start", type: "manual", entry: "ask" }],
  nodes: [
    { id: "ask", type: "approval", title: "Send it?", approvers: { users: ["admin@localhost"] } },
    post("first", { headers: { "X-Key": "{{.Secret.KEY}}" } }),
    post("slow", { headers: { "X-Key": "{{.Secret.KEY}}" } }),
  ],
  edges: [
    { from: "ask", to: "first", case: "approved" },
    { from: "first", to: "slow" },
  ],
});

nightlyTest(
  "After kill -9 and a restart, what an approval has shown still decides what a run sends",
  async () => {
    await using folder = await createDataFolder();
    const options = { env, dataDir: folder.path };
    await using killed = await openWorkflowHub(await startHub(options));
    answers["/slow"] = "never";
    const begun: Array<{ id: string; run: string }> = [];
    for (const name of ["Same", "Changed"]) {
      const id = await killed.publish(asking(), { name, secrets: { KEY: "the-approved-key" } });
      const { body } = await killed.api("POST", runsOf(id), {});
      const run = String(body.run_id);
      const approval = await waitFor(async () => {
        const listed = await killed.api("GET", `/manager/api/approvals?run=${run}`);
        return (listed.body.approvals as Array<{ id: string }>)[0]?.id;
      });
      await killed.hub.cli("workflow", "approve", approval);
      begun.push({ id, run });
    }
    const paths: string[] = [];
    await waitFor(() => {
      paths.push(...takePaths().map(String));
      return paths.filter((path) => path === "/slow").length === 2;
    });
    expect(paths.toSorted()).toEqual(["/first", "/first", "/slow", "/slow"]);
    await killed.hub.kill();
    answers["/slow"] = 200;
    await using restarted = await openWorkflowHub(await startHub(options));
    const resumeAt = async ({ id, run }: { id: string; run: string }) => {
      const path = `${runsOf(id)}/${run}`;
      const awaitState = (states: RegExp) =>
        waitFor(async () => {
          const { body } = await restarted.api("GET", path);
          return states.test(String(body.state)) && body;
        });
      await awaitState(/waiting/);
      const decisions = [{ node_id: "slow", decision: "repeat" }];
      expect((await restarted.api("POST", `${path}/resume`, { decisions })).status).toBe(200);
      return await awaitState(/succeeded|failed/);
    };
    const [same, changed] = begun as [(typeof begun)[0], (typeof begun)[0]];
    const secret = `/manager/api/workflows/${changed.id}/secrets/KEY`;
    await restarted.api("PUT", secret, { value: "another-key" });
    expect(await resumeAt(changed)).toMatchObject({ state: "failed", error: { code: "conflict" } });
    expect(takePaths()).toEqual([]);
    expect((await resumeAt(same)).state).toBe("succeeded");
    const sent = host.takeSent().map(({ target, headers }) => [target, headers["x-key"]]);
    expect(sent).toEqual([["/slow", "the-approved-key"]]);
  },
);

test("A run whose body is gone is neither resumed nor marked as resumed, and is replayed instead", async () => {
  const id = await flows.publish(chain([post("a"), post("b")]));
  answers["/b"] = 400;
  const failed = await run(id);
  const path = `/manager/api/workflows/${id}`;
  const body = chain([post("a"), post("b", { body: { v: 2 } })]);
  await flows.api("PUT", `${path}/draft`, { revision: 1, body });
  await flows.api("POST", `${path}/publish`, { revision: 2 });
  takePaths();
  const { dataDir } = flows.hub;
  queryDatabase(
    dataDir,
    `delete from workflow_versions where workflow_id = '${id}' and version = 1`,
  );
  queryDatabase(
    dataDir,
    `delete from workflow_bodies where id = (select body_id from workflow_runs where id = '${failed.id}')`,
  );
  // The other server has not kept the body in memory.
  const token = await flows.hub.makeManageToken();
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const ask = async (method: string, end: string, given?: object): Promise<Answer> => {
    const url = `${other.url}${runsOf(id)}/${failed.id}/${end}`;
    const init = given && { body: JSON.stringify(given) };
    const answer = await fetch(url, { method, headers, ...init });
    return { status: answer.status, body: Object(await answer.json()) };
  };
  for (const by of ["then", "draft", "published"]) {
    const refused = [
      await ask("GET", `resume?body=${by}`),
      await ask("POST", "resume", { body: by }),
    ];
    for (const answer of refused) {
      expect([answer.status, messageOf(answer)]).toEqual([
        409,
        expect.stringContaining("Replay the run instead"),
      ]);
    }
  }
  expect(takePaths()).toEqual([]);
  for (const end of ["", "body", "diagnosis", "events"]) {
    const url = `${other.url}${runsOf(id)}/${failed.id}/${end}`.replace(/\/$/, "");
    const answer = await fetch(url, { headers });
    await answer.body?.cancel();
    expect([end, answer.status < 500]).toEqual([end, true]);
  }
  expect(await findEnd(id, failed.id)).toMatchObject({ resumed_by_run_id: null });
  answers["/b"] = 200;
  const replayed = await ask("POST", "replay", {});
  expect((await findEnd(id, replayed.body.run_id)).state).toBe("succeeded");
  expect(takePaths()).toEqual(["/a", "/b"]);
});
