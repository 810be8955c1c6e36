/** The connector `logs` as an admin installs it from the checkout's catalog, and as a model uses it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { connectHttp } from "./support/connect-sdk-1.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { createLogHost } from "./support/log-host.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { buildPluginCatalog } from "./support/plugin-catalog.ts";
import { type RecordingHost, startRecordingHost } from "./support/recording-host.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const password = `p<w>"&'0123456789`;
const timeNs = BigInt(Date.now() - 60_000) * 1_000_000n + 7n;
const normal = createLogHost({
  lines: [{ timeNs, labels: { app: "api" }, line: "login failed" }],
  authorization: `Basic ${btoa(`ada:${password}`)}`,
});

const owned = new AsyncDisposableStack();
let host: RecordingHost;
let hub: RunningHub;
let client: TestClient;
let manageToken: string;

beforeAll(async () => {
  host = owned.use(await startRecordingHost(normal));
  const folder = owned.use(await createDataFolder());
  const catalog = await buildPluginCatalog(["logs"], folder.path, "thin");
  hub = owned.use(await startHub({ isHere: true, env: { HUB_PLUGIN_CATALOG: catalog } }));
  const installed = await hub.cli("plugin", "install", "logs", "--json");
  expect(installed.json()).toMatchObject({ key: "logs", form: "thin", enabled: true });
  manageToken = await hub.makeManageToken();
  const { token } = await hub.addUser("ada@example.com");
  client = owned.use(await connectHttp(hub.url, token));
});
afterAll(() => owned.disposeAsync());

type Values = Record<string, string>;

const withPassword = { password };

async function manage(method: string, path: string, body?: unknown): Promise<Response> {
  const headers = { authorization: `Bearer ${manageToken}`, "content-type": "application/json" };
  const url = `${hub.url}/manager/api${path}`;
  return await fetch(url, {
    method,
    headers,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function addRow(label: string, values: Values): Promise<string> {
  const body = { connector: "logs", label, tags: ["everyone"], values };
  const added = await manage("POST", "/rows", body);
  expect(added.status).toBe(201);
  return Object(await added.json()).id;
}

async function changeRow(id: string, values: Values): Promise<void> {
  const { version } = Object(await (await manage("GET", `/rows/${id}`)).json());
  expect((await manage("PATCH", `/rows/${id}`, { version, values })).status).toBe(200);
}

async function drawRaw(id: string, widget: string): Promise<string> {
  return await (await manage("POST", `/rows/${id}/operations/${widget}/test`, {})).text();
}

async function draw(id: string, widget: string): Promise<string> {
  return JSON.parse(await drawRaw(id, widget)).result.html;
}

test("a row is set up by its widgets, step by step, and then answers a model", async () => {
  const id = await addRow("Steps", {});
  expect(await draw(id, "status")).toContain("Set Base URL and save the row first.");
  expect(await draw(id, "organisations")).toContain("Set Base URL and save the row first.");

  await changeRow(id, { base_url: host.url });
  expect(await draw(id, "status")).toContain("The host answers. Version 11.2.0, database ok.");
  expect(await draw(id, "organisations")).toContain("Set Username and Password, or");
  await changeRow(id, { username: "ada", ...withPassword });

  expect(await draw(id, "datasources")).toContain("Select the organisation (org_id)");
  host.takeSent();
  const orgs = await draw(id, "organisations");
  expect(orgs).toContain(
    '<button type="button" data-op="__select" data-arg="1" aria-pressed="false">Main Org.</button>',
  );
  const [sent] = host.takeSent();
  expect(sent?.headers).not.toHaveProperty("x-dashboard-org-id");
  expect(sent?.headers).not.toHaveProperty("x-grafana-org-id");

  await changeRow(id, { org_id: "1" });
  expect(await draw(id, "organisations")).toContain('aria-pressed="true"');
  const datasources = await draw(id, "datasources");
  expect(datasources).toContain('data-arg="loki-1" aria-pressed="false">Logs</button>');
  expect(datasources).not.toContain("prom-1");

  await changeRow(id, { datasource_uid: "loki-1" });
  expect(await draw(id, "datasources")).toContain('aria-pressed="true"');
  const { value } = await client.execute(`conn:${id}/query`, { query: '{app="api"}' });
  expect(value).toMatchObject({
    count: 1,
    entries: [{ labels: { app: "api" }, line: "login failed" }],
    truncated: false,
  });
  expect(value.entries[0].timestamp).toEndWith("000007Z");
});

const ready = () => ({
  base_url: host.url,
  username: "ada",
  ...withPassword,
  org_id: "1",
  datasource_uid: "loki-1",
});

test("a model finds three operations, and none of those behind the widgets", async () => {
  const id = await addRow("Listed", ready());
  const { value } = await client.call("hub_list");
  const keys = value.tools
    .map(({ tool_id }: { tool_id: string }) => tool_id)
    .filter((toolId: string) => toolId.startsWith(`conn:${id}/`))
    .map((toolId: string) => toolId.split("/")[1]);
  expect(keys.sort()).toEqual(["label_values", "labels", "query"]);
  for (const key of ["status", "organisations", "datasources"]) {
    const refused = await client.execute(`conn:${id}/${key}`);
    expect(refused.isError).toBeTrue();
    expect(refused.text).toContain("This tool does not exist");
  }
});

test("a host in a private network is reached once an admin has saved it in the row", async () => {
  await using other = await startRecordingHost(normal);
  const id = await addRow("Private", ready());
  await changeRow(id, { base_url: other.url });
  expect((await client.execute(`conn:${id}/labels`)).value).toMatchObject({ labels: ["app"] });
  expect(other.takeSent()).toHaveLength(1);
});

test("the health check tells a row that works from one that does not", async () => {
  const works = await addRow("Healthy", ready());
  const ask = async (row: string) => await (await manage("POST", `/rows/${row}/health`)).json();
  expect(await ask(works)).toEqual({ ok: true });
  const gone = await addRow("Gone", { ...ready(), datasource_uid: "gone" });
  expect(await ask(gone)).toMatchObject({
    ok: false,
    reason: expect.stringContaining("pick org_id and datasource_uid again"),
  });
});

test("the status of an address that is no dashboard host names Base URL, not the datasource", async () => {
  await using other = await startRecordingHost(() => ({
    status: 404,
    body: { error: "No page." },
  }));
  const id = await addRow("Elsewhere", { base_url: other.url });
  const html = await draw(id, "status");
  expect(html).toContain("Check Base URL");
  expect(html).not.toContain("datasource");
});

describe("a widget", () => {
  let id: string;
  beforeAll(async () => {
    id = await addRow("Hostile", ready());
  });
  const hostile = `"><script>alert(1)</script><img src=x onerror='x'>`;

  test("shows hostile names as text", async () => {
    host.answerBy(({ target }) => ({
      body: target.startsWith("/api/user")
        ? [{ orgId: 2, name: hostile, role: hostile }]
        : [{ uid: hostile, name: hostile, type: "loki" }],
    }));
    for (const widget of ["organisations", "datasources"]) {
      const html = await draw(id, widget);
      expect(html.match(/<\/?[a-z]+/g)?.filter((tag) => /script|img/.test(tag)) ?? []).toEqual([]);
      const rewritten: string[] = [];
      await new HTMLRewriter()
        .on("*", { element: ({ tagName }) => void rewritten.push(tagName) })
        .transform(new Response(html))
        .text();
      expect(new Set(rewritten)).toEqual(new Set(["p", "ul", "li", "button", "small"]));
    }
  });

  test.each([
    ["datasources", 403, {}, "datasources:read"],
    ["organisations", 403, {}, "Set org_id to its number"],
    ["organisations", 401, { message: "Bad login" }, "Bad login. The row&#39;s login is not valid"],
    [
      "datasources",
      200,
      [{ uid: "p", type: "prometheus" }],
      "no datasource of type loki, only others,",
    ],
    ["organisations", 200, [], "has no organisation"],
    ["status", 503, "<b>down</b>", "answered 503"],
  ])("%s says what to do when the host answers %i", async (widget, status, body, words) => {
    host.answerBy(() => ({ status, body }));
    expect(await draw(id, widget)).toContain(words);
  });
});

test("a host that echoes the password gives it to no client, in no form", async () => {
  const id = await addRow("Echo", ready());
  const forms = [
    password,
    btoa(`ada:${password}`),
    password.replace(/[<>"&']/g, (c) => `&#${c.charCodeAt(0)};`),
  ];
  const seen: string[] = [];
  for (const status of [200, 401]) {
    host.answerBy(({ target, headers }) => {
      const echo = `${password} ${headers.authorization}`;
      if (status !== 200) return { status, body: { message: echo } };
      if (target.startsWith("/api/user")) return { body: [{ orgId: 1, name: echo }] };
      if (target.includes("/resources/")) return { body: { data: [echo] } };
      return { body: { results: { A: { status: 400, error: echo } } } };
    });
    seen.push((await client.execute(`conn:${id}/query`, { query: "{}" })).text);
    seen.push((await client.execute(`conn:${id}/labels`)).text);
    seen.push(await drawRaw(id, "organisations"));
  }
  seen.push((await hub.cli("runs", "--json")).stdout, hub.stdout(), hub.stderr());
  for (const form of forms) for (const text of seen) expect(text).not.toContain(form);
  expect(seen[0]).toContain("hub_enc_");
  expect(seen[2]).toContain("hub_enc_");
});

test("a row outlives the removal of the plugin, and answers again after the next install", async () => {
  host.answerBy(normal);
  const id = await addRow("Survivor", ready());
  await hub.cli("plugin", "remove", "logs");
  expect((await client.execute(`conn:${id}/labels`)).isError).toBeTrue();
  await hub.cli("plugin", "install", "logs");
  expect((await client.execute(`conn:${id}/labels`)).value).toMatchObject({ labels: ["app"] });
});

test.each([
  [{ base_url: "https://grafana.example.com/grafana" }, "must be scheme and host only"],
  [{ base_url: "https://grafana.example.com?orgId=1" }, "must be scheme and host only"],
  [{ base_url: "https://ada:hunter2@grafana.example.com" }, "must"],
  [{ org_id: "-1" }, "must be a number from 1 on"],
])("a row is not saved with %j, and the refusal says what to write", async (values, words) => {
  const saved = await manage("POST", "/rows", { connector: "logs", label: "Wrong", values });
  const text = await saved.text();
  expect(saved.status).toBe(400);
  expect(text).toContain(words);
  expect(text).not.toContain("hunter2");
});
