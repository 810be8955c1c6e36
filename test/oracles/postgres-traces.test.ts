/** Traces of several servers on one PostgreSQL database. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  findMetrics,
  listExpressions,
  readDashboard,
  toBaseName,
} from "../support/grafana-dashboard.ts";
import { openAuthorFolder } from "../support/make-plugin.ts";
import { type OtlpCollector, startOtlpCollector } from "../support/otlp-collector.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { postRpc, toToolCall } from "../support/rpc.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { waitFor } from "../support/wait-for.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let collector: OtlpCollector;
let first: RunningHub;
let second: RunningHub;

beforeAll(async () => {
  const postgres = owned.use(await startPostgres());
  collector = owned.use(await startOtlpCollector());
  const url = await postgres.createDatabase();
  const open = async (name: string) =>
    owned.use(
      await startHub({
        env: {
          HUB_DATABASE_URL: url,
          HUB_ENC_KEY: "5a".repeat(32),
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          OTEL_SERVICE_NAME: name,
          OTEL_BSP_SCHEDULE_DELAY: "50",
        },
      }),
    );
  first = await open("first");
  second = await open("second");
  const author = owned.use(await openAuthorFolder());
  await mkdir(join(author.path, "trace/src"), { recursive: true });
  const main = JSON.stringify(resolve(import.meta.dirname, "../support/trace-plugin.ts"));
  await writeFile(join(author.path, "trace/src/main.ts"), `import ${main};\n`);
  await writeFile(join(author.path, "trace/package.json"), '{ "version": "1.0.0" }');
  await first.cli("plugin", "install", await author.buildScript("trace"));
});
afterAll(() => owned.disposeAsync());

async function addRow(args: string[], env: Record<string, string> = {}): Promise<string> {
  const added = await first.tryCli(["row", "add", ...args, "--tag", "ops", "--json"], { env });
  return added.json<{ id: string }>().id;
}

test("A call through two servers and a plugin is one trace", async () => {
  const user = await first.addUser("ann@example.com", { tags: ["ops"] });
  const plugin = await addRow(["trace", "--label", "P", "--set", `address=${second.url}/`]);
  const sent = ["--set", `base_url=${second.url}`, "--set", "send_trace_context=true"];
  const token = ["--set", "auth_mode=bearer", "--secret-env", "token=USER_TOKEN"];
  const row = await addRow(["http", "--label", "H", ...sent, ...token], { USER_TOKEN: user.token });
  const show = { tool_id: `conn:${plugin}/show`, params: {} };
  // The second server takes the plugin up by itself.
  await waitFor(async () => {
    const answer = await postRpc(second.url, user.token, toToolCall("hub_execute", show));
    const { result } = (await answer.json()) as { result: { isError?: boolean } };
    return result.isError !== true;
  });
  const id = crypto.randomUUID().replaceAll("-", "");
  const body = toToolCall("hub_execute", show);
  const call = { tool_id: `conn:${row}/post`, params: { path: "/mcp", body } };
  const headers = { traceparent: `00-${id}-00f067aa0ba902b7-01` };
  const answer = await postRpc(first.url, user.token, toToolCall("hub_execute", call), headers);
  // biome-ignore lint/suspicious/noExplicitAny: tests name members that only assertions can check.
  const { result } = (await answer.json()) as { result: { structuredContent: any } };
  const inner = result.structuredContent.body.result.structuredContent;

  const path = [
    "POST /mcp",
    "tools/call hub_execute",
    "http post",
    "POST /mcp",
    "tools/call hub_execute",
    "trace show",
    "wick.connector.v1.Connector/Execute",
  ];
  const spans: string[] = [];
  let parent = "00f067aa0ba902b7";
  for (const name of path) {
    const span = await collector.waitForSpan(
      (each) => each.traceId === id && each.parentSpanId === parent && each.name === name,
    );
    spans.push(span.service);
    parent = span.spanId;
  }
  expect(spans).toEqual(["first", "first", "first", "second", "second", "second", "second"]);
  expect(inner.trace).toEqual({ traceparent: `00-${id}-${parent}-01` });
  expect(collector.faults()).toEqual([]);
});

test("The statements of a call to PostgreSQL are spans without values", async () => {
  const id = crypto.randomUUID().replaceAll("-", "");
  const headers = { traceparent: `00-${id}-00f067aa0ba902b7-01` };
  const user = await first.addUser("bob@example.com");
  await postRpc(first.url, user.token, toToolCall("hub_list", {}), headers);
  await collector.waitForSpan(({ traceId, name }) => traceId === id && name === "POST /mcp");
  const statements = collector
    .spans()
    .filter(({ traceId, attributes }) => traceId === id && "db.system.name" in attributes);
  expect(statements.map(({ name }) => name)).toContain("SELECT personal_access_tokens");
  expect(statements.map(({ name }) => name)).toContain("INSERT connector_runs");
  for (const { attributes } of statements) {
    expect(attributes["db.system.name"]).toBe("postgresql");
    expect(Object.keys(attributes).every((key) => key.startsWith("db."))).toBeTrue();
  }
  for (const text of [user.token, user.email]) expect(collector.received()).not.toContain(text);
});

test("Every metric of the dashboard is in /metrics of a server on PostgreSQL", async () => {
  await postRpc(first.url, null, toToolCall("hub_list", {}));
  const text = await (await fetch(`${first.url}/metrics`)).text();
  const dashboard = (await readDashboard()) as Parameters<typeof listExpressions>[0];
  const names = listExpressions(dashboard).flatMap(findMetrics);
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) {
    expect(text).toMatch(new RegExp(`^# TYPE ${toBaseName(name)} \\w+$`, "m"));
  }
});
