/** The connector `logs` as an admin installs it from the checkout's catalog, and as a model uses it. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { connectHttp } from "./support/connect-sdk-1.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { createLogHost } from "./support/log-host.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { buildPluginCatalog } from "./support/plugin-catalog.ts";
import { type RecordingHost, startRecordingHost } from "./support/recording-host.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(120_000);

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

beforeAll(async () => {
  host = owned.use(await startRecordingHost(normal));
  const folder = owned.use(await createDataFolder());
  const catalog = await buildPluginCatalog(["logs"], folder.path);
  hub = owned.use(await startHub({ env: { HUB_PLUGIN_CATALOG: catalog } }));
  const installed = await hub.cli("plugin", "install", "logs", "--json");
  expect(installed.json()).toMatchObject({ key: "logs", version: "1.0.0", enabled: true });
  const { token } = await hub.addUser("ada@example.com");
  client = owned.use(await connectHttp(hub.url, token));
});
afterAll(() => owned.disposeAsync());

const set = (...pairs: string[]) => pairs.flatMap((pair) => ["--set", pair]);

async function addRow(label: string, pairs: string[], more: string[] = []): Promise<string> {
  const flags = ["--label", label, "--tag", "everyone", ...set(...pairs)];
  const added = await hub.tryCli(["row", "add", "logs", ...flags, ...more, "--json"], {
    env: { LOGS_PASSWORD: password },
  });
  expect(added.stderr).toBe("");
  return added.json<{ id: string }>().id;
}

const withPassword = ["--secret-env", "password=LOGS_PASSWORD"];

async function draw(label: string, widget: string): Promise<string> {
  const { html } = (await hub.cli("row", "test", label, widget, "--json")).json<{ html: string }>();
  return html;
}

test("a row is set up by its widgets, step by step, and then answers a model", async () => {
  const id = await addRow("Steps", [], ["--incomplete"]);
  expect(await draw("Steps", "status")).toContain("Set base_url and save the row first.");
  expect(await draw("Steps", "organisations")).toContain("Set base_url and save the row first.");

  await hub.cli("row", "set", "Steps", ...set(`base_url=${host.url}`));
  expect(await draw("Steps", "status")).toContain("The host answers. Version 11.2.0, database ok.");
  expect(await draw("Steps", "organisations")).toContain("Set username and password, or");
  const secret = ["row", "set", "Steps", ...set("username=ada"), ...withPassword];
  expect((await hub.tryCli(secret, { env: { LOGS_PASSWORD: password } })).exitCode).toBe(0);

  expect(await draw("Steps", "datasources")).toContain("Pick the organisation (org_id)");
  host.takeSent();
  const orgs = await draw("Steps", "organisations");
  expect(orgs).toContain(
    '<button type="button" data-op="__select" data-arg="1" aria-pressed="false">Main Org.</button>',
  );
  const [sent] = host.takeSent();
  expect(sent?.headers).not.toHaveProperty("x-dashboard-org-id");
  expect(sent?.headers).not.toHaveProperty("x-grafana-org-id");

  await hub.cli("row", "set", "Steps", ...set("org_id=1"));
  expect(await draw("Steps", "organisations")).toContain('aria-pressed="true"');
  const datasources = await draw("Steps", "datasources");
  expect(datasources).toContain('data-arg="loki-1" aria-pressed="false">Logs</button>');
  expect(datasources).not.toContain("prom-1");

  await hub.cli("row", "set", "Steps", ...set("datasource_uid=loki-1"));
  expect(await draw("Steps", "datasources")).toContain('aria-pressed="true"');
  const { value } = await client.execute(`conn:${id}/query`, { query: '{app="api"}' });
  expect(value).toMatchObject({
    count: 1,
    entries: [{ labels: { app: "api" }, line: "login failed" }],
    truncated: false,
  });
  expect(value.entries[0].timestamp).toEndWith("000007Z");
});

const ready = () => [`base_url=${host.url}`, "username=ada", "org_id=1", "datasource_uid=loki-1"];

test("a model finds three operations, and none of those behind the widgets", async () => {
  const id = await addRow("Listed", ready(), withPassword);
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
  const id = await addRow("Private", ready(), withPassword);
  await hub.cli("row", "set", "Private", ...set(`base_url=${other.url}`));
  expect((await client.execute(`conn:${id}/labels`)).value).toMatchObject({ labels: ["app"] });
  expect(other.takeSent()).toHaveLength(1);
});

test("the health check tells a row that works from one that does not", async () => {
  const works = await addRow("Healthy", ready(), withPassword);
  const manageToken = await hub.makeManageToken();
  const ask = async (row: string) => {
    const response = await fetch(`${hub.url}/manager/api/rows/${row}/health`, {
      method: "POST",
      headers: { authorization: `Bearer ${manageToken}` },
    });
    return await response.json();
  };
  expect(await ask(works)).toEqual({ ok: true });
  const gone = await addRow("Gone", [...ready().slice(0, 3), "datasource_uid=gone"], withPassword);
  expect(await ask(gone)).toMatchObject({
    ok: false,
    reason: expect.stringContaining("pick org_id and datasource_uid again"),
  });
});

describe("a widget", () => {
  beforeAll(async () => void (await addRow("Hostile", ready(), withPassword)));
  const hostile = `"><script>alert(1)</script><img src=x onerror='x'>`;

  test("shows hostile names as text", async () => {
    host.answerBy(({ target }) => ({
      body: target.startsWith("/api/user")
        ? [{ orgId: 2, name: hostile, role: hostile }]
        : [{ uid: hostile, name: hostile, type: "loki" }],
    }));
    for (const widget of ["organisations", "datasources"]) {
      const html = await draw("Hostile", widget);
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
    ["organisations", 403, {}, "set org_id to its number"],
    ["organisations", 401, { message: "Bad login" }, "Bad login. The row&#39;s login is not valid"],
    [
      "datasources",
      200,
      [{ uid: "p", type: "prometheus" }],
      "no datasource of type loki, only others,",
    ],
    ["organisations", 200, [], "in no organisation"],
    ["status", 503, "<b>down</b>", "answered 503"],
  ])("%s says what to do when the host answers %i", async (widget, status, body, words) => {
    host.answerBy(() => ({ status, body }));
    expect(await draw("Hostile", widget)).toContain(words);
  });
});

test("a host that echoes the password gives it to nobody, in no form", async () => {
  const id = await addRow("Echo", ready(), withPassword);
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
    seen.push((await hub.tryCli(["row", "test", "Echo", "organisations"])).stdout);
  }
  seen.push((await hub.cli("runs", "--json")).stdout, hub.stdout(), hub.stderr());
  for (const form of forms) for (const text of seen) expect(text).not.toContain(form);
  expect(seen[0]).toContain("hub_enc_");
  expect(seen[2]).toContain("hub_enc_");
});

test("a row outlives the removal of the plugin, and answers again after the next install", async () => {
  host.answerBy(normal);
  const id = await addRow("Survivor", ready(), withPassword);
  await hub.cli("plugin", "remove", "logs");
  expect((await client.execute(`conn:${id}/labels`)).isError).toBeTrue();
  await hub.cli("plugin", "install", "logs");
  expect((await client.execute(`conn:${id}/labels`)).value).toMatchObject({ labels: ["app"] });
});

test.each([
  ["base_url=https://grafana.example.com/grafana", "must be scheme and host only"],
  ["base_url=https://grafana.example.com?orgId=1", "must be scheme and host only"],
  ["base_url=https://ada:hunter2@grafana.example.com", "must"],
  ["org_id=-1", "must be a number from 1 on"],
])("a row is not saved with %s, and the refusal says what to write", async (value, words) => {
  const saved = await hub.tryCli([
    "row",
    "add",
    "logs",
    "--label",
    "Wrong",
    "--incomplete",
    "--set",
    value,
  ]);
  expect(saved.exitCode).toBe(1);
  expect(saved.stderr).toContain(words);
  expect(saved.stderr).not.toContain("hunter2");
});
