/** Each example workflow is created, published and run against stand-ins of the systems that it uses. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { join } from "node:path";
import type { WorkflowExample } from "@hub/contract/workflow-example.ts";
import type { WorkflowRunDetail } from "@hub/contract/workflow-run.ts";
import { createLogHost } from "../support/log-host.ts";
import {
  type AnswerRequest,
  type HostAnswer,
  type RecordingHost,
  startRecordingHost,
} from "../support/recording-host.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

type Body = Record<string, unknown>;
type Run = {
  id: string;
  state: string;
  error: unknown;
  steps: Array<{ node_id: string; output: unknown; tries: number }>;
};

const owned = new AsyncDisposableStack();
const main = join(import.meta.dirname, "../support/plugins-hub.ts");
const key = "key-of-the-sender";
const rows: Record<string, string> = {};
let host: RecordingHost;
let flows: WorkflowHub;
let examples: Map<string, WorkflowExample>;

beforeAll(async () => {
  host = owned.use(await startRecordingHost(() => ({ status: 500 })));
  const env = { HUB_WORKFLOW_OUTBOUND_ALLOW: `127.0.0.1:${host.port}` };
  flows = owned.use(await startWorkflowHub({ isHere: true, main, env }));
  const addRow = async (connector: string, values: Record<string, string>) => {
    const { body } = await flows.api("POST", "/manager/api/rows", {
      connector,
      label: `Stand-in ${connector}`,
      values,
    });
    return String(body.id);
  };
  rows.codehost = await addRow("codehost", { base_url: `${host.url}/api/v3`, token: "ghp_0123" });
  rows.logs = await addRow("logs", {
    base_url: host.url,
    auth_mode: "token",
    token: "glsa_0123",
    org_id: "1",
    datasource_uid: "loki-1",
  });
  const http = await addRow("http", { base_url: host.url });
  for (const name of ["chat", "source", "target"]) rows[name] = http;
  const { body } = await flows.api("GET", "/manager/api/workflow-examples");
  // Safe: the API's answer has this shape.
  const listed = body.examples as WorkflowExample[];
  examples = new Map(listed.map((example) => [example.id, example]));
});
afterAll(() => owned.disposeAsync());

/** Answers by the method and the path below the host, without a query. */
function answerAs(routes: Record<string, HostAnswer | AnswerRequest>): void {
  host.takeSent();
  host.answerBy((sent) => {
    const path = new URL(sent.target, "http://host").pathname.replace(/^\/api\/v3/, "");
    const found = routes[`${sent.method} ${path}`] ?? { status: 404, body: { message: path } };
    return typeof found === "function" ? found(sent) : found;
  });
}

const takeSent = () =>
  host.takeSent().map(({ method, target, body }) => ({
    request: `${method} ${target.replace(/^\/api\/v3/, "")}`,
    body: body === "" ? null : JSON.parse(body),
  }));

type StartOptions = {
  env?: Record<string, string>;
  secrets?: readonly string[];
  /** Changes the body, where the example would take hours. */
  change?: (text: string) => string;
};

/** Creates a workflow from an example and publishes it. Returns its id. */
async function start(
  example: string,
  { env, secrets = [], change }: StartOptions = {},
): Promise<string> {
  const { needs } = examples.get(example) ?? {};
  const chosen = needs?.rows.map(({ name }) => [name, rows[name]]) ?? [];
  const made = await flows.api("POST", "/manager/api/workflows", {
    name: example,
    example,
    rows: Object.fromEntries(chosen),
    env,
  });
  expect(made.status).toBe(201);
  const path = `/manager/api/workflows/${made.body.id}`;
  for (const secret of secrets) await flows.api("PUT", `${path}/secrets/${secret}`, { value: key });
  let revision = 1;
  if (change !== undefined) {
    const body = JSON.parse(change(JSON.stringify(made.body.body)));
    await flows.api("PUT", `${path}/draft`, { revision, body });
    revision += 1;
  }
  const published = await flows.api("POST", `${path}/publish`, { revision });
  expect(published).toMatchObject({ status: 200, body: { problems: [] } });
  return String(made.body.id);
}

const eachSecond = (text: string) => text.replace(/"schedule":"[^"]*"/, '"schedule":"* * * * * *"');

async function listRuns(id: string): Promise<Run[]> {
  const { body } = await flows.api("GET", `/manager/api/workflows/${id}/runs`);
  // Safe: the API's answer has this shape.
  return body.runs as Run[];
}

/** The oldest run of a workflow, once it has ended, with the outputs of its steps by node. */
async function findRun(id: string, runId?: string | null) {
  const run = await waitFor(async () => {
    const runs = await listRuns(id);
    const one = runId ? runs.find((other) => other.id === runId) : runs.at(-1);
    return one !== undefined && /succeeded|failed/.test(one.state) && one;
  });
  const { body } = await flows.api("GET", `/manager/api/workflows/${id}/runs/${run.id}`);
  // Safe: the API's answer has this shape.
  const { state, error, steps } = body as unknown as Run;
  const by = (read: (step: Run["steps"][number]) => unknown) =>
    Object.fromEntries(steps.map((step) => [step.node_id, read(step)]));
  return { state, error, outputs: by(({ output }) => output), tries: by((step) => step.tries) };
}

const sign = (text: string) => `sha256=${createHmac("sha256", key).update(text).digest("hex")}`;

/** Sends a signed request, and waits for the end of its run. */
async function deliver(id: string, slug: string, body: Body, header = "x-hub-sig", more = {}) {
  const text = JSON.stringify(body);
  const headers = { "content-type": "application/json", [header]: sign(text), ...more };
  const response = await flows.send(id, slug, { body: text, headers });
  const run = await findRun(id, response.headers.get("x-hub-run-id"));
  return { response, run };
}

/**
 * Replays a run as a dry run, and compares what it would call with the calls that the run made. Nothing but
 * reads reaches the stand-ins meanwhile. Returns the number of compared calls.
 */
async function compareDryRun(id: string, runId: string | null | undefined): Promise<number> {
  const path = `/manager/api/workflows/${id}/runs`;
  const readRun = async (run: unknown) => {
    const { body } = await flows.api("GET", `${path}/${run}`);
    // Safe: the API's answer has this shape.
    return body as unknown as WorkflowRunDetail;
  };
  const readEnded = (run: unknown) =>
    waitFor(async () => {
      const found = await readRun(run);
      return found.ended_at !== null && found;
    });
  const live = await readEnded(runId);
  host.takeSent();
  const { body } = await flows.api("POST", `${path}/${runId}/replay`, { dry_run: true });
  const dry = await readEnded(body.run_id);
  const changes = host.takeSent().filter(({ method, target }) => !isRead(method, target));
  expect(changes).toEqual([]);
  const would = dry.steps?.filter((step) => step.would_call) ?? [];
  const nodes = new Set(would.map((step) => step.node_id));
  // The step of a node with `for_each` calls nothing itself.
  const made = live.steps?.filter(
    (step) => nodes.has(step.node_id) && !("items" in Object(step.input)),
  );
  expect({ state: dry.state, calls: listInputs(would) }).toEqual({
    state: live.state,
    calls: listInputs(made),
  });
  const reads = live.steps?.filter((step) => step.call_run_id !== null && !nodes.has(step.node_id));
  for (const { input } of reads ?? []) {
    expect(String(Object(input).tool_id ?? Object(input).method)).toMatch(
      /GET|\/(get|query|search)/,
    );
  }
  return would.length;
}

const isRead = (method: string, target: string) =>
  method === "GET" || target.startsWith("/api/ds/query");
const listInputs = (steps: WorkflowRunDetail["steps"] = []) =>
  (steps ?? []).map(({ node_id, item, input }) => JSON.stringify([node_id, item, input])).sort();

const issueUrl = "https://code.example.com/acme/shop/issues/7";
const repoEnv = { OWNER: "acme", REPO: "shop" };

test("There are eleven examples, and each names the rows, secrets, values and workflows that it needs", async () => {
  expect(examples.size).toBe(11);
  for (const [example, { name, needs, body }] of examples) {
    const made = await flows.api("POST", "/manager/api/workflows", { name, example });
    const path = `/manager/api/workflows/${made.body.id}/validate`;
    const { body: checked } = await flows.api("POST", path, {});
    // Safe: the API's answer has this shape.
    const problems = checked.problems as Array<{ message: string }>;
    const told = problems.map(({ message }) => message);
    const expected =
      /^(No row is chosen|The workflow has no secret|The settings have no environ|There is no workflow)/;
    expect(told.filter((message) => !expected.test(message))).toEqual([]);
    const text = JSON.stringify(body);
    const isTold = (part: string) => ({ example, part, isTold: told.join("\n").includes(part) });
    for (const row of needs.rows) {
      for (const operation of row.operations) {
        const part = `the operation ${operation} of a row of the connector ${row.connector}`;
        expect(isTold(part)).toEqual({ example, part, isTold: true });
      }
    }
    const named = [...needs.secrets, ...needs.env, ...needs.workflows].map((one) => one.name);
    for (const part of named) {
      expect(isTold(`"${part}"`)).toEqual({ example, part: `"${part}"`, isTold: true });
    }
    const env = [...text.matchAll(/\.Env\.(\w+)/g)].map(([, found = ""]) => found);
    expect(new Set(env).difference(new Set(listEnv(body, needs)))).toEqual(new Set());
    // Safe: the API's answer has this shape.
    const secrets = made.body.secrets as Array<{ name: string }>;
    expect(secrets.map((secret) => secret.name)).toEqual(needs.secrets.map((one) => one.name));
  }
});

function listEnv(body: unknown, { env }: WorkflowExample["needs"]): string[] {
  return [...env.map(({ name }) => name), ...Object.keys(Object(body).settings?.env ?? {})];
}

test("A new workflow refuses an example, row or value that does not exist, and says which exist", async () => {
  const create = async (given: Body) => {
    const { status, body } = await flows.api("POST", "/manager/api/workflows", {
      name: "Wrong",
      ...given,
    });
    return [status, JSON.stringify(body.error)];
  };
  const example = "failure-alarm";
  const wrong: Array<[Body, string]> = [
    [{ example: "failure-alarn" }, 'Did you mean \\"failure-alarm\\"?'],
    [{ example, rows: { talk: rows.chat } }, "rows.talk is not known. Names: chat, codehost."],
    [{ example, rows: { chat: "Chat" } }, "must be the id of a row"],
    [{ example, env: { OWNR: "acme" } }, "env.OWNR is not known. Names: CHAT_PATH, OWNER, REPO."],
    [{ example, body: {} }, "cannot be given together with an example"],
    [{ env: { OWNER: "acme" } }, "env needs an example"],
  ];
  for (const [given, part] of wrong) {
    expect(await create(given)).toEqual([400, expect.stringContaining(part)]);
  }
});

test("The command line lists the examples, shows one, and starts a workflow from it", async () => {
  const list = (await flows.hub.cli("workflow", "examples")).stdout;
  for (const [id, { name }] of examples) expect(list).toMatch(new RegExp(`^${id} +${name}`, "m"));
  const shown = (await flows.hub.cli("workflow", "examples", "failure-alarm")).stdout;
  for (const part of ["--row chat=", "--row codehost=", "--env CHAT_PATH="]) {
    expect(shown).toContain(part);
  }
  const user = ["--owner", "admin@localhost", "--example", "failure-alarm"];
  const chosen = ["--row", "codehost=Stand-in codehost", "--env", "OWNER=acme"];
  const made = (await flows.hub.cli("workflow", "new", "Alarm", ...user, ...chosen)).stdout;
  expect(made).toContain(
    `/nodes/2/tool_id: No row is chosen as "chat": the node needs the operation post of a row of the connector http. Write the tool id of one, such as conn:${rows.chat}/post of "Stand-in http".`,
  );
  expect(made).toContain('The settings have no environment value "REPO".');
  expect(made).not.toContain("create_issue");
});

test("failure-alarm: a critical failure opens an issue and tells a chat its address, another one only tells", async () => {
  answerAs({
    "POST /repos/acme/shop/issues": { status: 201, body: { number: 7, html_url: issueUrl } },
    "POST /chat": { body: { ok: true } },
  });
  const alarm = await start("failure-alarm", { env: { ...repoEnv, CHAT_PATH: "/chat" } });
  const sent: ReturnType<typeof takeSent> = [];
  // An alarm hears of all failures.
  const listSent = (id: string) => sent.filter(({ body }) => JSON.stringify(body).includes(id));
  const fail = async (severity: "critical" | "error" | "warning") => {
    const id = await flows.publish({
      triggers: [{ id: "go", type: "webhook", entry: "stop" }],
      nodes: [{ id: "stop", type: "fail", message: "No stock", severity }],
    });
    const response = await flows.send(id);
    return { id, runId: response.headers.get("x-hub-run-id") };
  };
  const waitForMessage = (id: string) =>
    waitFor(() => {
      sent.push(...takeSent());
      return listSent(id).some(({ request }) => request === "POST /chat");
    });
  const warning = await fail("warning");
  const critical = await fail("critical");
  await waitForMessage(critical.id);
  expect(listSent(critical.id)).toEqual([
    {
      request: "POST /repos/acme/shop/issues",
      body: {
        title: `${critical.id}: No stock`,
        body: `Run ${critical.runId} failed at stop with run_failed.`,
      },
    },
    {
      request: "POST /chat",
      body: { text: `critical: ${critical.id} failed. No stock ${issueUrl}` },
    },
  ]);
  const error = await fail("error");
  await waitForMessage(error.id);
  expect(listSent(error.id)).toEqual([
    { request: "POST /chat", body: { text: `error: ${error.id} failed. No stock` } },
  ]);
  expect(listSent(warning.id)).toEqual([]);
  for (const run of await listRuns(alarm))
    expect(await compareDryRun(alarm, run.id)).toBePositive();
  await flows.api("POST", `/manager/api/workflows/${alarm}/disable`);
});

test("issue-triage: the title decides the label, or the author is asked, and other events do nothing", async () => {
  const issue = "POST /repos/acme/shop/issues/7";
  answerAs({
    [`${issue}/labels`]: { body: [{ name: "bug" }] },
    [`${issue}/comments`]: { status: 201, body: { id: 1 } },
  });
  const id = await start("issue-triage", { secrets: ["WEBHOOK_SECRET"] });
  const send = (title: string, action = "opened") =>
    deliver(
      id,
      "issues",
      {
        action,
        issue: { number: 7, title, user: { login: "ann" } },
        repository: { name: "shop", owner: { login: "acme" } },
      },
      "x-hub-signature-256",
      { "x-github-event": "issues" },
    );
  const { response } = await send("The cart crashes: error 500");
  expect(response.status).toBe(202);
  expect(takeSent()).toEqual([{ request: `${issue}/labels`, body: { labels: ["bug"] } }]);
  await send("How do I pay?");
  expect(takeSent()).toEqual([{ request: `${issue}/labels`, body: { labels: ["question"] } }]);
  await send("Cart");
  expect(takeSent()).toEqual([
    { request: `${issue}/comments`, body: { body: expect.stringContaining("@ann") } },
  ]);
  expect((await send("Broken", "closed")).run.state).toBe("succeeded");
  const counts = [];
  for (const run of await listRuns(id)) counts.push(await compareDryRun(id, run.id));
  expect(counts.toSorted()).toEqual([0, 1, 1, 1]);
  expect(takeSent()).toEqual([]);
  const unsigned = await flows.send(id, "issues", {
    body: "{}",
    headers: { "x-hub-sig": sign("{}") },
  });
  expect([unsigned.status, await unsigned.json()]).toEqual([
    401,
    expect.objectContaining({ error: expect.stringContaining("X-Hub-Signature-256") }),
  ]);
  const [last] = await listRuns(id);
  const { body } = await flows.api("GET", `/manager/api/workflows/${id}/runs/${last?.id}`);
  expect(JSON.stringify(body)).toContain("x-github-event");
  expect(JSON.stringify(body)).not.toContain("x-hub-signature-256");
});

test("alert-to-issue: two alerts open one issue, and its end closes it", async () => {
  const open: Array<{ number: number; body: string }> = [];
  const issues = "/repos/acme/shop/issues";
  answerAs({
    "GET /search/issues": ({ target }) => {
      const q = new URL(target, "http://host").searchParams.get("q") ?? "";
      const found = open.filter(({ body }) => q.includes(`"${body.split("\n").at(-1)}"`));
      return { body: { total_count: found.length, items: found } };
    },
    [`POST ${issues}`]: ({ body }) => {
      open.push({ number: 7, ...JSON.parse(body) });
      return { status: 201, body: { number: 7, html_url: issueUrl } };
    },
    [`POST ${issues}/7/comments`]: { status: 201, body: { id: 1 } },
    [`PATCH ${issues}/7`]: { body: { number: 7, state: "closed" } },
  });
  const id = await start("alert-to-issue", { env: repoEnv, secrets: ["ALERT_KEY"] });
  const alert = { fingerprint: "f00d", title: "Disk full", text: "97 % of /var" };
  const send = (status: string) => deliver(id, "alerts", { ...alert, status });
  await Promise.all([send("firing"), send("firing")]);
  await send("resolved");
  const changes = takeSent().filter(({ request }) => !request.startsWith("GET"));
  const [last] = await listRuns(id);
  expect(await compareDryRun(id, last?.id)).toBe(1);
  expect(changes).toEqual([
    {
      request: `POST ${issues}`,
      body: { title: "Disk full", body: "97 % of /var\n\nalert f00d", labels: ["alert"] },
    },
    { request: `POST ${issues}/7/comments`, body: { body: "Again: 97 % of /var" } },
    { request: `PATCH ${issues}/7`, body: { state: "closed" } },
  ]);
});

test("nightly-log-report: the error lines become one issue, and without lines there is none", async () => {
  const timeNs = (BigInt(Date.now()) - 60_000n) * 1_000_000n;
  const line = { timeNs, labels: { app: "shop" }, line: "error: no stock" };
  let logHost = createLogHost({ lines: [line] });
  const isCodehost = ({ target }: { target: string }) => target.startsWith("/api/v3");
  host.takeSent();
  host.answerBy((sent) =>
    isCodehost(sent) ? { status: 201, body: { number: 8 } } : logHost(sent),
  );
  const env = { ...repoEnv, LOG_QUERY: '{app="shop"} |= "error"' };
  const id = await start("nightly-log-report", { env, change: eachSecond });
  const run = await findRun(id);
  await flows.api("POST", `/manager/api/workflows/${id}/disable`);
  expect(run).toMatchObject({ state: "succeeded", outputs: { issue: { number: 8 } } });
  const [opened] = host.takeSent().filter(isCodehost);
  expect(await compareDryRun(id, (await listRuns(id)).at(-1)?.id)).toBe(1);
  expect(JSON.parse(opened?.body ?? "")).toEqual({
    title: expect.stringMatching(/^Errors of \d+ \w+ \d{4}$/),
    body: expect.stringMatching(
      /^1 lines match `\{app="shop"\} \|= "error"`\.\n\n- \d{4}-\S+Z error: no stock$/,
    ),
  });
  logHost = createLogHost({ lines: [] });
  const path = `/manager/api/workflows/${id}/runs`;
  const replayed = await flows.api("POST", `${path}/${(await listRuns(id)).at(-1)?.id}/replay`, {});
  const none = await findRun(id, String(replayed.body.run_id));
  expect([none.state, none.outputs.issue]).toEqual(["succeeded", undefined]);
});

test("order-summary: a script adds up the orders of a week, and without orders nothing is sent", async () => {
  const order = (product: string, cents: number, daysAgo: number, currency = "EUR") => ({
    product,
    cents,
    currency,
    created_at: new Date(Date.now() - daysAgo * 86_400_000).toISOString(),
  });
  const coffees = [order("Coffee", 1250, 1), order("Coffee", 1250, 6.9), order("Coffee", 999, 7.1)];
  const others = [order("Tea", 99, 2), order("Coffee", 500, 3, "USD")];
  answerAs({ "GET /orders": { body: { items: [...coffees, ...others] } }, "POST /chat": {} });
  const id = await start("order-summary", { env: { ORDERS_PATH: "/orders", CHAT_PATH: "/chat" } });
  const run = async () => {
    const { body } = await flows.api("POST", `/manager/api/workflows/${id}/runs`, {});
    const runId = String(body.run_id);
    return { runId, ...(await findRun(id, runId)) };
  };
  const told = await run();
  expect([told.state, told.error]).toEqual(["succeeded", null]);
  expect(takeSent().at(-1)).toEqual({
    request: "POST /chat",
    body: {
      text: "Orders of the last week: 4\n2 × Coffee: 25.00 EUR\n1 × Coffee: 5.00 USD\n1 × Tea: 0.99 EUR",
    },
  });
  expect(await compareDryRun(id, told.runId)).toBe(1);
  answerAs({ "GET /orders": { body: { items: [order("Tea", 99, 8)] } } });
  const silent = await run();
  expect([silent.state, silent.outputs.sums]).toEqual(["succeeded", { orders: 0, text: "" }]);
  expect(takeSent().map(({ request }) => request)).toEqual(["GET /orders"]);
  expect(await compareDryRun(id, silent.runId)).toBe(0);
});

test("reminder: the text is sent at its time, and the next one is planned", async () => {
  answerAs({ "POST /chat": { body: { ok: true } } });
  const id = await start("reminder", { env: { CHAT_PATH: "/chat" } });
  const at = new Date(Date.now() + 1500).toISOString();
  const payload = { text: "Water the plants", at, every: "24h" };
  const path = `/manager/api/workflows/${id}`;
  const started = await flows.api("POST", `${path}/runs`, { payload });
  expect(started.status).toBe(200);
  await waitFor(async () => {
    const { body } = await flows.api("GET", `${path}/scheduled`);
    const [next] = body.runs as Array<{ scheduled_at: string }>;
    return next !== undefined && Date.parse(next.scheduled_at) === Date.parse(at) + 86_400_000;
  });
  expect(takeSent()).toEqual([
    { request: "POST /chat", body: { text: "Reminder: Water the plants" } },
  ]);
  const ran = (await listRuns(id)).filter(({ state }) => state === "succeeded");
  for (const { id: runId } of ran) await compareDryRun(id, runId);
  expect((await flows.api("GET", `${path}/scheduled`)).body.runs).toHaveLength(1);
});

test("deploy-hook: a signed and timed request deploys and is answered, another environment is not", async () => {
  const dispatches = "POST /repos/acme/shop/actions/workflows/deploy.yml/dispatches";
  answerAs({ [dispatches]: { status: 204 } });
  const id = await start("deploy-hook", {
    env: { ...repoEnv, DEPLOY_FILE: "deploy.yml" },
    secrets: ["DEPLOY_KEY"],
  });
  const send = async (environment: string) => {
    const body = { environment, ref: "v1.2" };
    const time = String(Math.floor(Date.now() / 1000));
    const timed = sign(`${time}.${JSON.stringify(body)}`);
    const more = { "x-hub-timestamp": time, "x-hub-sig-timestamped": timed };
    const { response } = await deliver(id, "deploy", body, "x-hub-sig", more);
    return [response.status, await response.json()];
  };
  const started = { started: true, environment: "staging", ref: "v1.2" };
  expect(await send("staging")).toEqual([200, started]);
  expect(takeSent()).toEqual([
    { request: dispatches, body: { ref: "v1.2", inputs: { environment: "staging" } } },
  ]);
  expect(await send("moon")).toEqual([
    200,
    { started: false, reason: expect.stringContaining("staging,production") },
  ]);
  expect(takeSent()).toEqual([]);
  const counts = [];
  for (const run of await listRuns(id)) counts.push(await compareDryRun(id, run.id));
  expect(counts.toSorted()).toEqual([0, 1]);
  const body = JSON.stringify({ environment: "staging", ref: "main" });
  const untimed = await flows.send(id, "deploy", { body, headers: { "x-hub-sig": sign(body) } });
  expect(untimed.status).toBe(401);
});

test("api-facade: an order is answered in its own form, a wrong id with 400, a failure with 502", async () => {
  const order = { id: 42, state: 'sent "soon"', total: 9.5, customer: { card: "4111" } };
  answerAs({ "GET /orders/42": { body: order }, "GET /orders/43": { status: 404 } });
  const id = await start("api-facade");
  const get = async (query: string) => {
    const response = await flows.send(id, `orders?id=${query}`, { method: "GET" });
    return { status: response.status, body: await response.json(), headers: response.headers };
  };
  const found = await get("42");
  const { customer: _, ...shown } = order;
  expect(found).toMatchObject({ status: 200, body: shown });
  expect(found.body).not.toHaveProperty("customer");
  expect(found.headers.get("cache-control")).toBe("max-age=60");
  expect(await get("43")).toMatchObject({ status: 502 });
  expect(await get("..%2Fadmin")).toMatchObject({ status: 400 });
  expect(takeSent().map(({ request }) => request)).toEqual(["GET /orders/42", "GET /orders/43"]);
  for (const run of await listRuns(id)) expect(await compareDryRun(id, run.id)).toBe(1);
});

test("sync-records: each record is copied, one that fails once is tried again, and one that cannot be copied is named", async () => {
  const items = ["a", "b", "c"].map((id) => ({ id, size: 1 }));
  let tries = 0;
  const isRefusing = { b: true };
  answerAs({
    "GET /records": { body: { items } },
    "PUT /copies/a": { body: {} },
    "PUT /copies/b": () => (isRefusing.b ? { status: 422 } : { body: {} }),
    "PUT /copies/c": () => {
      tries += 1;
      return tries === 1 ? { status: 503 } : { body: {} };
    },
  });
  const id = await start("sync-records", {
    env: { SOURCE_PATH: "/records", TARGET_PATH: "/copies" },
    change: (text) => text.replace(/"backoff_s":\d+/g, '"backoff_s":0'),
  });
  const run = async () => {
    const { body } = await flows.api("POST", `/manager/api/workflows/${id}/runs`, {});
    return await findRun(id, String(body.run_id));
  };
  expect(await run()).toMatchObject({
    state: "failed",
    error: { message: "These records were not copied: b" },
    outputs: { result: { records: 3 } },
  });
  const sent = takeSent();
  expect(sent.filter(({ request }) => request === "PUT /copies/c")).toHaveLength(2);
  expect(sent.find(({ request }) => request === "PUT /copies/a")?.body).toEqual(items[0]);
  isRefusing.b = false;
  expect(await run()).toMatchObject({
    state: "succeeded",
    outputs: { result: { records: 3, failed: "" } },
  });
  for (const { id: runId } of await listRuns(id)) expect(await compareDryRun(id, runId)).toBe(3);
});

test("deliver-with-retry: an event is tried five times, again after a pause, and then handed over", async () => {
  let tries = 0;
  let succeedsAt = 7;
  answerAs({
    "POST /inbox": () => {
      tries += 1;
      return tries === succeedsAt ? { body: {} } : { status: 503 };
    },
  });
  const heir = await flows.publish({
    triggers: [{ id: "start", type: "manual", entry: "keep" }],
    nodes: [{ id: "keep", type: "set", value: "{{.Event.Payload}}" }],
  });
  const id = await start("deliver-with-retry", {
    env: { TARGET_PATH: "/inbox", PAUSE_S: "0" },
    secrets: ["SENDER_KEY"],
    change: (text) =>
      text.replace(/"backoff_s":\d+/g, '"backoff_s":0').replace("choose-a-workflow", heir),
  });
  const event = { order: 42 };
  const late = await deliver(id, "events", event);
  expect([late.response.status, late.run.state, tries]).toEqual([202, "succeeded", 7]);
  expect(takeSent().map(({ body }) => body)).toEqual(Array(7).fill(event));
  tries = 0;
  succeedsAt = 0;
  const lost = await deliver(id, "events", { order: 43 });
  expect(lost.run).toMatchObject({
    state: "failed",
    error: { message: expect.stringContaining("was not delivered") },
  });
  expect(tries).toBe(8);
  const handed = await findRun(heir);
  const counts = [];
  for (const { id: runId } of await listRuns(id)) counts.push(await compareDryRun(id, runId));
  expect(counts).toEqual([3, 2]);
  expect(await listRuns(heir)).toHaveLength(1);
  expect(handed.outputs.keep).toMatchObject({
    event: { order: 43 },
    error: expect.stringContaining("503"),
  });
});

// Last, because its ticks may fail while other tests run.
test("health-check: a page that answers succeeds, and one that does not is tried three times and fails as critical", async () => {
  answerAs({ "GET /health": { status: 200 } });
  const change = (text: string) => eachSecond(text).replace('"backoff_s":5', '"backoff_s":0');
  const up = await start("health-check", { env: { URL: `${host.url}/health` }, change });
  expect(await findRun(up)).toMatchObject({
    state: "succeeded",
    outputs: { answered: { status: 200 } },
  });
  await flows.api("POST", `/manager/api/workflows/${up}/disable`);
  answerAs({ "GET /health": { status: 503 } });
  const replayed = await flows.api(
    "POST",
    `/manager/api/workflows/${up}/runs/${(await listRuns(up)).at(-1)?.id}/replay`,
    {},
  );
  const down = await findRun(up, String(replayed.body.run_id));
  expect(down).toMatchObject({
    state: "failed",
    error: { message: expect.stringContaining("503") },
    tries: { request: 3 },
  });
  expect(await compareDryRun(up, String(replayed.body.run_id))).toBe(0);
});
