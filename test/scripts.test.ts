/**
 * Scripts of the connector `hub` in a running hub. Protects: a script does what its caller may do, and no more; no
 * plaintext of a secret reaches it; and it never runs twice.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readAudit } from "./support/audit.ts";
import { connectHttp } from "./support/connect-sdk-1.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { isUsageKnown, usageSkipReason } from "./support/process-usage.ts";
import { isRunning, listScriptProcesses } from "./support/script-processes.ts";
import type { TestUser } from "./support/start-hub.ts";
import { waitFor } from "./support/wait-for.ts";
import { startWorkflowHub, type WorkflowHub } from "./support/workflow-hub.ts";

setDefaultTimeout(180_000);

const secret = "row-credential-4711-XYZ-9fK2xQ7vLm4R";
/** What the outside system received, and the requests that it has not answered. */
const written: unknown[] = [];
const open = new Set<() => void>();
const system = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(req) {
    const { pathname } = new URL(req.url);
    if (pathname === "/hang") {
      const { promise, resolve } = Promise.withResolvers<void>();
      open.add(resolve);
      req.signal.addEventListener("abort", () => resolve());
      await promise;
      open.delete(resolve);
    }
    if (req.method === "POST") written.push(await req.json());
    return Response.json({ count: pathname.length, auth: req.headers.get("authorization") });
  },
});

let flows: WorkflowHub;
let ada: TestUser;
let client: TestClient;
let scripts: string;
let orders: string;
let bills: string;
let hidden: string;

beforeAll(async () => {
  flows = await startWorkflowHub();
  const { hub } = flows;
  ada = await hub.addUser("ada@example.com", { tags: ["red"] });
  client = await connectHttp(hub.url, ada.token);
  orders = await addRow("Orders", "red");
  bills = await addRow("Bills", "red");
  hidden = await addRow("Hidden", "blue");
  const { value } = await client.call("hub_search", { query: "run a script" });
  const found: { tool_id: string }[] = value.tools;
  scripts = found.find(({ tool_id: id }) => id.endsWith("/run_script"))?.tool_id ?? "";
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await flows[Symbol.asyncDispose]();
  await system.stop(true);
});

async function addRow(label: string, tag: string): Promise<string> {
  const base_url = `http://127.0.0.1:${system.port}`;
  const values = { base_url, auth_mode: "bearer", token: secret };
  const row = { connector: "http", label, tags: [tag], values };
  const { status, body } = await flows.api("POST", "/manager/api/rows", row);
  if (status !== 201) throw new Error(JSON.stringify(body));
  return `conn:${body.id}`;
}

const run = (source: string, input: unknown = null, of = client) =>
  of.execute(scripts, { source, input });

/** A script that calls `/hang` of the orders. */
const hang = `await call(input.whoami);\nreturn await call(input.orders + "/get", { path: "/hang" });`;
const hangInput = () => ({ orders, whoami: scripts.replace("run_script", "whoami") });

test("A script combines reads of three rows and writes, and its calls lead to it", async () => {
  const source = `
    const { email } = await call(input.whoami);
    const found = await Promise.all(input.rows.map((row) => call(row + "/get", { path: "/items" })));
    const sum = found.reduce((all, { body }) => all + body.count, 0);
    await call(input.rows[0] + "/post", { path: "/sums", body: { email, sum } });
    return sum;`;
  const { whoami } = hangInput();
  const { value } = await run(source, { whoami, rows: [orders, bills] });
  expect(value).toBe(12);
  expect(written).toEqual([{ email: ada.email, sum: 12 }]);
  const runs = readAudit(flows.hub.dataDir) as Array<{ id: string } & Record<string, unknown>>;
  const script = runs.find(({ operation_key: key }) => key === "run_script");
  expect(script).toMatchObject({ status: "success", response: "12" });
  const made = runs.filter(({ cause_id: id }) => id === script?.id);
  const keys = made.map(({ operation_key: key }) => key);
  expect(keys).toEqual(["whoami", "get", "get", "post"]);
  expect(made.every(({ cause_kind: kind }) => kind === "script")).toBe(true);
});

test("A script that only reads calls nothing that is not known to", async () => {
  const before = written.length;
  const { isError, value } = await client.call("hub_read", {
    tool_id: scripts.replace("run_script", "read_script"),
    params: {
      source: `return await call(input, { path: "/x", body: {} })`,
      input: `${orders}/post`,
    },
  });
  expect([isError, value.code, value.thrown]).toEqual([
    true,
    "code_failed",
    { code: "destructive_operation" },
  ]);
  const run = await client.call("hub_read", { tool_id: scripts, params: { source: "return 1" } });
  expect(run.value.code).toBe("destructive_operation");
  expect(written).toHaveLength(before);
});

test("A script sees secrets as value tokens, and its calls open them", async () => {
  const { text } = await run(
    `const { body } = await call(input + "/get", { path: "/a" });
     await call(input + "/post", { path: "/b", body: { auth: body.auth } });
     return { body, all: JSON.stringify([body, Object.getOwnPropertyNames(globalThis)]) };`,
    orders,
  );
  expect(text).toContain("hub_enc_");
  expect(text).not.toContain(secret);
  expect(written.at(-1)).toEqual({ auth: `Bearer ${secret}` });
});

test("A script that throws says where, and what it had called", async () => {
  const { isError, value } = await run(`await call(input);\nnull.x;`, hangInput().whoami);
  expect([isError, value.code, value.line, value.calls_total]).toEqual([true, "code_failed", 2, 1]);
  expect(value.calls).toEqual([
    { tool_id: hangInput().whoami, status: "success", run_id: expect.any(String) },
  ]);
});

test("A hidden row is to a script what an unknown one is", async () => {
  const unknown = `conn:${crypto.randomUUID()}`;
  const source = `
    const seen = [];
    for (const row of input) await call(row + "/get", { path: "/" }).catch((e) => seen.push({ ...e, message: e.message, stack: undefined }));
    return seen;`;
  const { value } = await run(source, [hidden, unknown]);
  const [first, second] = value.map((error: object) =>
    JSON.stringify(error).replaceAll(hidden, "ROW").replaceAll(unknown, "ROW"),
  );
  expect(first).toContain("not_found");
  expect(first).toBe(second);
});

test.skipIf(!isUsageKnown)(
  `A script whose process is killed does not run again, and its error lists its calls${usageSkipReason}`,
  async () => {
    const answer = run(hang, hangInput());
    await waitFor(() => open.size === 1);
    for (const pid of listScriptProcesses(flows.hub.pid)) process.kill(pid, "SIGKILL");
    const { isError, value } = await answer;
    expect([isError, value.code, value.calls_total]).toEqual([true, "code_failed", 2]);
    const statuses = value.calls.map(({ status }: { status: string }) => status);
    expect(statuses).toEqual(["success", "cancelled"]);
    expect(value.error).toContain("process of the script ended");
    await waitFor(() => open.size === 0);
  },
);

test.skipIf(!isUsageKnown)(
  `A client that cancels ends its script and the calls of it${usageSkipReason}`,
  async () => {
    const cancel = new AbortController();
    const params = { source: hang, input: hangInput() };
    const answer = client
      .execute(scripts, params, { signal: cancel.signal })
      .catch(() => "cancelled");
    await waitFor(() => open.size === 1);
    const running = listScriptProcesses(flows.hub.pid);
    cancel.abort();
    expect(await answer).toBe("cancelled");
    await waitFor(() => open.size === 0);
    await waitFor(() => running.some((pid) => !isRunning(pid)));
    const statuses = () => {
      const runs = readAudit(flows.hub.dataDir).slice(-3);
      return runs.map(({ status }) => status).sort();
    };
    await waitFor(() => statuses().join() === "cancelled,cancelled,success");
  },
);

test("A node with run_script is only checked in a dry run, and acts as its owner in a run and a retry", async () => {
  const source = "const { email } = await call(input);\nreturn email;";
  const params = { source, input: hangInput().whoami };
  const id = await flows.publish({
    triggers: [{ id: "start", type: "manual", entry: "script" }],
    nodes: [{ id: "script", type: "operation", tool_id: scripts, params }],
    edges: [],
  });
  const path = `/manager/api/workflows/${id}/runs`;
  const before = readAudit(flows.hub.dataDir).length;
  const tried = await flows.api("POST", path, { wait_s: 20, dry_run: true });
  const { body } = await flows.api("GET", `${path}/${tried.body.run_id}`);
  const [step] = body.steps as Record<string, unknown>[];
  expect(step).toMatchObject({ would_call: true, input: { params: { source } } });
  expect(readAudit(flows.hub.dataDir)).toHaveLength(before);
  const ran = await flows.api("POST", path, { wait_s: 20 });
  expect(ran.body).toMatchObject({ state: "succeeded", output: "admin@localhost" });
  const runs = readAudit(flows.hub.dataDir).slice(before) as Record<string, unknown>[];
  expect(runs.map((one) => [one.operation_key, one.source, one.cause_kind])).toEqual([
    ["run_script", "workflow", "workflow"],
    ["whoami", "workflow", "script"],
  ]);
  const [made] = runs;
  const retried = await flows.api("POST", `/manager/api/runs/${made?.id}/retry`);
  expect(JSON.stringify(retried.body)).toContain("admin@localhost");
  const [retry, again] = readAudit(flows.hub.dataDir).slice(-2) as Record<string, unknown>[];
  expect(retry).toMatchObject({ operation_key: "run_script", parent_run_id: made?.id });
  expect(again).toMatchObject({ parent_run_id: null, cause_id: retry?.id, source: "retry" });
});

test("Scripts that wait for calls do not hold up the code nodes of workflows", async () => {
  const { hub } = flows;
  const users = await Promise.all(
    [1, 2, 3, 4].map((at) => hub.addUser(`user${at}@example.com`, { tags: ["red"] })),
  );
  await using clients = new AsyncDisposableStack();
  const answers = await Promise.all(
    users.map(async ({ token }) => {
      const one = clients.use(await connectHttp(hub.url, token));
      return { answer: run(hang, hangInput(), one) };
    }),
  );
  await waitFor(() => open.size === 4);
  const id = await flows.publish({
    triggers: [{ id: "start", type: "manual", entry: "script" }],
    nodes: [{ id: "script", type: "code", source: "return 6 * 7" }],
    edges: [],
  });
  const started = await flows.api("POST", `/manager/api/workflows/${id}/runs`, { wait_s: 20 });
  expect(started.body).toMatchObject({ state: "succeeded", output: 42 });
  for (const answer of open) answer();
  const ended = await Promise.all(answers.map(({ answer }) => answer));
  expect(ended.map(({ isError }) => isError)).toEqual([false, false, false, false]);
});
