/**
 * Protects: no secret of a workflow, of a row or in an encrypted value reaches a step, the log, an answer, an
 * error, the audit or the database, whatever way it takes through a workflow.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { createHmac } from "node:crypto";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { connectHttp } from "../support/connect-sdk-2.ts";
import { findFreePort } from "../support/free-port.ts";
import type { TestClient } from "../support/mcp-client.ts";
import { type DatabasePart, readDatabaseParts } from "../support/read-database-parts.ts";
import { findSecrets, toSecretForms } from "../support/secret-forms.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorkflowHub, type WorkflowHub } from "../support/workflow-hub.ts";

setDefaultTimeout(180_000);

const secrets = {
  SIGN: "sign-k3y/of+the=hook-0123",
  API_KEY: `api"k\\3y<0>&'x/y+z=%41?é§`,
  /** Can be a part of the name of a host or header. */
  NAME: "k3y-in-an-address-2468",
};
const rowSecret = "r0w/secret+with=odd-chars-9fK2xQ7vLm4R";
const ownSecret = "own/secret+in=a-token-9753";
const all = new Set([...Object.values(secrets), rowSecret, ownSecret]);

/** Everything that left the hub. */
const seen: string[] = [];
const owned = new AsyncDisposableStack();
let flows: WorkflowHub;
let client: TestClient;
let rowId: string;
let unusedPort: number;

/** An outside system that repeats the credential of each request, also where it sends the client next. */
const outside = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(req) {
    const { pathname, search } = new URL(req.url);
    const credential = (req.headers.get("authorization") ?? "").replace(/^\w+ /, "");
    const headers = { "x-credential": encodeURIComponent(credential) };
    const said = { search, credential, body: await req.text(), base64: btoa(escape(credential)) };
    if (pathname === "/loop") return Response.redirect(`/loop?${encodeURIComponent(credential)}`);
    if (pathname === "/gone") {
      return Response.redirect(`http://127.0.0.1:${unusedPort}/${encodeURIComponent(credential)}`);
    }
    if (pathname === "/elsewhere") {
      return Response.redirect(`http://169.254.169.254/${encodeURIComponent(credential)}`);
    }
    if (pathname === "/refuse") return Response.json(said, { status: 403, headers });
    if (pathname === "/broken") return new Response(`{${JSON.stringify(said)}`, { headers });
    return Response.json({ ...said, [credential]: pathname }, { headers });
  },
});
owned.defer(() => outside.stop(true));

beforeAll(async () => {
  unusedPort = await findFreePort();
  const env = {
    HUB_LOG_LEVEL: "trace",
    HUB_WORKFLOW_OUTBOUND_ALLOW: `127.0.0.1:${outside.port},127.0.0.1:${unusedPort}`,
  };
  flows = owned.use(await startWorkflowHub({ env }));
  client = owned.use(await connectHttp(flows.hub.url, flows.hub.adminToken()));
  const url = `http://127.0.0.1:${outside.port}`;
  const added = await flows.hub.tryCli(
    [
      ...["row", "add", "http", "--label", "Outside", "--tag", "outside", "--json"],
      ...["--set", `base_url=${url}`, "--set", "auth_mode=bearer"],
      ...["--secret-env", "token=OUTSIDE_TOKEN"],
    ],
    { env: { OUTSIDE_TOKEN: rowSecret } },
  );
  rowId = added.json<{ id: string }>().id;
});
afterAll(() => owned.disposeAsync());

type Node = NonNullable<WorkflowBodyInput["nodes"]>[number];

const manual = { id: "start", type: "manual" as const };

/** A workflow whose nodes run one after another, also after failures. */
function chain(trigger: object, nodes: readonly object[]): WorkflowBodyInput {
  // Safe: the tests write nodes and triggers as the schema has them.
  const list = nodes.map((node, at) => ({ id: `n${at}`, on_error: "continue", ...node })) as Node[];
  return {
    triggers: [{ ...trigger, entry: list[0]?.id } as never],
    nodes: list,
    edges: list.slice(1).map(({ id }, at) => ({ from: list[at]?.id ?? "", to: id })),
  };
}

async function api(method: string, path: string, body?: unknown) {
  const answer = await flows.api(method, path, body);
  seen.push(JSON.stringify(answer));
  return answer;
}

async function send(id: string, init: RequestInit, slug = ""): Promise<number> {
  const response = await flows.send(id, slug, init);
  seen.push(`${JSON.stringify([...response.headers])} ${await response.text()}`);
  return response.status;
}

/** Runs a workflow to its end, and reads the run in every way. Returns its id. */
async function runAll(id: string, payload: object = {}): Promise<string> {
  const path = `/manager/api/workflows/${id}/runs`;
  const { body } = await api("POST", path, { payload, wait_s: 25 });
  const run = String(body.run_id);
  expect(body.state).toMatch(/succeeded|failed/);
  await readRun(id, run);
  return run;
}

async function readRun(id: string, run: string): Promise<void> {
  const path = `/manager/api/workflows/${id}/runs`;
  await api("GET", path);
  const { body } = await api("GET", `${path}/${run}`);
  await api("GET", `${path}/${run}/events`);
  for (const { call_run_id: call } of body.steps as { call_run_id: string | null }[]) {
    if (call !== null) await api("GET", `/manager/api/runs/${call}`);
  }
  await callTool("workflow_run_get", { workflow_id: id, run_id: run });
  const { stdout } = await flows.hub.cli("workflow", "runs", id, run, "--json");
  seen.push(stdout);
}

async function callTool(key: string, params: Record<string, unknown>) {
  const { value } = await client.call("hub_list");
  const tools: Array<{ tool_id: string }> = value.tools;
  const tool = tools.find(({ tool_id }) => tool_id.endsWith(`/${key}`));
  const answer = await client.execute(tool?.tool_id ?? "", params);
  seen.push(answer.text);
  return answer.value;
}

const bearer = { authorization: "Bearer {{.Secret.API_KEY}}" };
const named = { authorization: "Bearer {{.Secret.NAME}}" };
const at = (path: string) => `http://127.0.0.1:${outside.port}${path}`;

test("A secret in every field of an http node, and in every way in which its request fails", async () => {
  const requests = [
    { url: at("/echo"), headers: named },
    { url: at("/echo/{{.Secret.API_KEY}}"), query: { key: "{{.Secret.API_KEY}}" } },
    { url: at("/echo"), headers: { authorization: '{{basicAuth "me" .Secret.NAME}}' } },
    { url: at("/echo"), method: "POST", body: { key: "{{.Secret.API_KEY}}" }, repeat: true },
    { url: at("/echo"), method: "POST", body: "key={{.Secret.API_KEY}}", repeat: true },
    ...["/loop", "/gone", "/elsewhere", "/refuse", "/broken"].map((path) => ({
      url: at(path),
      headers: named,
    })),
    { url: `http://127.0.0.1:${unusedPort}/{{.Secret.NAME}}` },
    { url: "http://{{.Secret.NAME}}.invalid/" },
    { url: "http://user:{{.Secret.NAME}}@127.0.0.1:1/" },
    { url: "http://[{{.Secret.NAME}}/" },
    { url: "{{.Secret.NAME}}" },
    { url: "http://10.0.0.1/{{.Secret.NAME}}" },
    { url: at("/echo"), headers: bearer },
    { url: at("/echo"), headers: { "x-key": '{{.Secret.NAME}}{{printf "\\n"}}' } },
    {
      url: at("/echo"),
      method: "POST",
      body: `${"x".repeat(60_000)}{{.Secret.NAME}}{{printf "%8000d" 1}}`,
    },
  ].map((fields) => ({ type: "http", ...fields }));
  const copy = { type: "set", value: requests.map((_, n) => `{{.Node.n${n}}}`) };
  const id = await flows.publish(chain(manual, [...requests, copy]), { secrets });
  await runAll(id);
});

test("A secret of a row that an operation returns, in a key, a URL, base64, an error and a header", async () => {
  const calls = ["/echo", "/refuse", "/broken", "/loop", "/gone"].map((path) => ({
    type: "operation",
    tool_id: `conn:${rowId}/get`,
    params: { path },
  }));
  const items = { ...calls[0], for_each: "{{.Event.Payload.list}}" };
  const copy = { type: "set", value: ["{{.Node.n0}}", "said {{.Node.n0.body.credential}}"] };
  const fail = { type: "fail", message: "{{.Node.n0}} {{.Node.n1}}" };
  const id = await flows.publish(chain(manual, [...calls, items, copy, fail]), { secrets });
  await flows.publish(
    chain({ id: "oops", type: "error", source_workflow: id }, [
      { type: "set", value: "{{.Event.Payload}}" },
    ]),
    { secrets },
  );
  const run = await runAll(id, { list: [1, 2] });
  const { body } = await api("POST", `/manager/api/workflows/${id}/runs/${run}/replay`, {});
  await waitFor(async () => {
    const { body: found } = await api("GET", `/manager/api/workflows/${id}/runs/${body.run_id}`);
    return found.state === "failed";
  });
});

test("The plaintext of an encrypted value that its owner sends, and that the outside system repeats", async () => {
  const sealed = await flows.hub.tryCli(["encrypt", "--user", "admin@localhost"], {
    stdin: ownSecret,
  });
  const token = sealed.stdout.trim();
  const post = { type: "http", url: at("/echo"), method: "POST", body: "{{.Event.Payload}}" };
  const other = await flows.publish(chain(manual, [post]));
  const id = await flows.publish(
    chain(manual, [
      { ...post, repeat: true },
      { type: "workflow", workflow_id: other, payload: "{{.Event.Payload}}", wait: true },
      { type: "set", value: { schedule_at: "2100-01-01T00:00:00Z", key: "{{.Node.n0.body}}" } },
      { type: "set", value: "{{.Node.n1}}" },
    ]),
  );
  await runAll(id, { token, text: `Bearer ${token}` });
  await callTool("workflow_run_now", { workflow_id: id, payload: { token }, wait_s: 20 });
});

nightlyTest(
  "Secrets that a sender knows and repeats, in every part of a request and of the answer",
  async () => {
    const id = await flows.publish(
      chain({ id: "hook", type: "webhook", secret_ref: "SIGN", respond_mode: "respond_node" }, [
        { type: "set", value: "{{.Event}}" },
        { type: "fail", message: "{{.Event.Payload}}", on_error: "fail" },
      ]),
      { secrets },
    );
    const body = JSON.stringify([secrets.API_KEY, secrets.SIGN, btoa(escape(secrets.API_KEY))]);
    const signature = `sha256=${createHmac("sha256", secrets.SIGN).update(body).digest("hex")}`;
    const json = { "content-type": "application/json", "x-hub-sig": signature };
    const query = `?${new URLSearchParams({ key: secrets.API_KEY, [secrets.NAME]: "x" })}`;
    const variants: Record<string, string>[] = [
      { "x-key": secrets.NAME },
      { "x-hub-delivery": secrets.NAME },
      { "x-github-delivery": `id of ${secrets.NAME}` },
      { "user-agent": secrets.NAME, [secrets.NAME]: "x" },
      { "content-type": `text/${secrets.NAME}` },
    ];
    for (const more of variants) {
      expect(await send(id, { body, headers: { ...json, ...more } }, query)).toBe(502);
    }
    const slug = `${encodeURIComponent(secrets.NAME)}/${encodeURIComponent(secrets.API_KEY)}`;
    await send(id, { body, headers: json }, slug.replace("%2F", "_"));
    expect(await send(id, { body: `${body} `, headers: json }, secrets.NAME)).toBe(401);
    await send("never-was-here", { body, headers: json }, secrets.NAME);
    const { body: listed } = await api("GET", `/manager/api/workflows/${id}/runs`);
    for (const run of listed.runs as { id: string }[]) await readRun(id, run.id);
  },
);

test("A secret in what the workflow answers, stores and says of itself", async () => {
  const id = await flows.publish(
    chain({ id: "hook", type: "webhook", respond_mode: "respond_node" }, [
      { type: "set", value: "{{.Secret.API_KEY | upper}}" },
      { type: "set", value: { "{{.Secret.NAME}}": "{{.Secret.NAME}} {{.Event.Payload.none}}" } },
      {
        type: "webhook_respond",
        respond_body: "{{.Secret.API_KEY}} {{.Node.n0}} {{.Node.n1}}",
        respond_headers: { "x-said": "{{.Secret.SIGN}}", "x-key": "{{.Secret.NAME}}" },
      },
    ]),
    { secrets },
  );
  expect(await send(id, { body: "x" })).toBe(200);
  const path = `/manager/api/workflows/${id}`;
  const exported = await api("GET", `${path}/export`);
  await api("POST", "/manager/api/workflows/import", exported.body);
  for (const part of ["", "/secrets", "/versions", "/versions/1", "/diff?from=1", "/opened"]) {
    expect((await api("GET", `${path}${part}`)).status).toBe(200);
  }
  const tooLong = secrets.NAME.repeat(10_000);
  expect((await api("PUT", `${path}/secrets/KEY`, { value: tooLong })).status).toBe(400);
  expect((await api("PUT", `${path}/secrets/a-b`, { value: secrets.NAME })).status).toBe(404);
  expect((await api("PUT", `${path}/secrets/KEY`, { valu: secrets.NAME })).status).toBe(400);
  for (const words of [["show"], ["export"], ["secret", "list"], ["runs"], ["versions"]]) {
    const [verb = "", ...rest] = words;
    seen.push((await flows.hub.cli("workflow", verb, ...rest, id)).stdout);
  }
  await callTool("workflow_get", { workflow_id: id });
  for (const shown of ["/manager/api/history", "/manager/api/runs", "/admin/api/changes"]) {
    await api("GET", shown);
  }
});

test("The whole database, the log and everything that was answered contain none of them", async () => {
  // Also in the journal, which the stop empties.
  const parts = await readParts(flows.hub.dataDir);
  await flows.hub.stop();
  parts.push(...(await readParts(flows.hub.dataDir)));
  parts.push({ name: "log", bytes: Buffer.from(flows.hub.stderr()) });
  parts.push({ name: "output", bytes: Buffer.from(flows.hub.stdout()) });
  for (const text of seen) parts.push({ name: text.slice(0, 3000), bytes: Buffer.from(text) });
  const found = parts.flatMap(({ name, bytes }) =>
    findSecrets(bytes, all).map((secret) => `${secret} in ${name}`),
  );
  expect(found).toEqual([]);
});

test("The search finds each secret in each encoding", () => {
  for (const secret of all) {
    const forms = Object.values(toSecretForms(secret));
    expect(forms.length).toBeGreaterThan(5);
    for (const form of forms) {
      expect(findSecrets(Buffer.concat([Buffer.from("x"), form]), all)).not.toEqual([]);
    }
  }
});

/** All files of the data folder except the key file, and its database. */
async function readParts(dataDir: string): Promise<DatabasePart[]> {
  const parts = readDatabaseParts(dataDir);
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true });
  for (const entry of entries.filter((one) => one.isFile() && one.name !== "keys.json")) {
    const bytes = await Bun.file(join(entry.parentPath, entry.name)).bytes();
    parts.push({ name: entry.name, bytes });
  }
  return parts;
}
