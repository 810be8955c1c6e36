/** Protects: traces tell how the hub works, and nothing of what its users send, get or may not see. */
import { afterAll, beforeAll, test as bunTest, expect, setDefaultTimeout } from "bun:test";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { openAuthorFolder } from "./support/make-plugin.ts";
import {
  type OtlpCollector,
  type ReceivedSpan,
  startOtlpCollector,
} from "./support/otlp-collector.ts";
import { type RecordingHost, startRecordingHost } from "./support/recording-host.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { hubMain, runCli } from "./support/run-cli.ts";
import { type RunningHub, startHub, type TestUser } from "./support/start-hub.ts";
import { initialize, openStdioSession } from "./support/stdio-session.ts";
import { waitFor } from "./support/wait-for.ts";

setDefaultTimeout(180_000);

/** `npm test` installs OpenTelemetry, and says so if it cannot, as without a network. */
const isInstalled = existsSync(join(import.meta.dirname, "../node_modules/@opentelemetry/core"));
const test = isInstalled ? bunTest : bunTest.skip;
const owned = new AsyncDisposableStack();
const headerSecret = "collector-key-4711";
const rowSecret = "row-secret-4711-9fK2xQ7vLm4R";
const parentId = "00f067aa0ba902b7";
let collector: OtlpCollector;
let hub: RunningHub;
let other: RunningHub;
let host: RecordingHost;
let user: TestUser;
/** Rows of the plugin: one that hands the trace context on, one that does not, a hidden one. */
let rows: Record<"sending" | "silent" | "hidden", string>;

function toEnv(service: string, url = collector.url): Record<string, string> {
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    OTEL_EXPORTER_OTLP_HEADERS: `x-api-key=${headerSecret}`,
    OTEL_SERVICE_NAME: service,
    OTEL_BSP_SCHEDULE_DELAY: "50",
    OTEL_TRACES_SAMPLER: "parentbased_always_on",
  };
}

beforeAll(async () => {
  if (!isInstalled) return;
  collector = owned.use(await startOtlpCollector());
  host = owned.use(await startRecordingHost(() => ({ body: { fine: true } })));
  [hub, other] = await Promise.all([
    startHub({ isHere: true, env: toEnv("first") }),
    startHub({ isHere: true, env: toEnv("second") }),
  ]);
  owned.use(hub);
  owned.use(other);
  const author = owned.use(await openAuthorFolder());
  await mkdir(join(author.path, "trace/src"), { recursive: true });
  const main = JSON.stringify(join(import.meta.dirname, "support/trace-plugin.ts"));
  await writeFile(join(author.path, "trace/src/main.ts"), `import ${main};\n`);
  await writeFile(join(author.path, "trace/package.json"), '{ "version": "1.0.0" }');
  await hub.cli("plugin", "install", await author.buildScript("trace"));
  user = await hub.addUser("ada@example.com", { tags: ["ops"] });
  rows = {
    sending: await addRow([
      "trace",
      "--label",
      "S",
      "--tag",
      "ops",
      "--set",
      "send_trace_context=true",
    ]),
    silent: await addRow(["trace", "--label", "Q", "--tag", "ops"]),
    hidden: await addRow(["trace", "--label", "hidden-label-4711"]),
  };
});
afterAll(() => owned.disposeAsync());

async function addRow(args: string[]): Promise<string> {
  const set = ["--set", `address=${host.url}/`, "--secret-env", "secret=ROW_SECRET", "--json"];
  const added = await hub.tryCli(["row", "add", ...args, ...set], {
    env: { ROW_SECRET: rowSecret },
  });
  return added.json<{ id: string }>().id;
}

async function execute(
  toolId: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) {
  const call = toToolCall("hub_execute", { tool_id: toolId, params });
  const response = await postRpc(hub.url, user.token, call, headers);
  const { result } = (await response.json()) as {
    // biome-ignore lint/suspicious/noExplicitAny: tests name members that only assertions can check.
    result: { structuredContent: any; content: [{ text: string }]; isError?: boolean };
  };
  return result;
}

/** A new trace id, so that a test finds its own spans. */
function newTrace(flags = "01") {
  const id = crypto.randomUUID().replaceAll("-", "");
  return { id, headers: { traceparent: `00-${id}-${parentId}-${flags}` } };
}

/** The spans of a trace when its last one has arrived: that of its request. */
async function waitForTrace(id: string): Promise<ReceivedSpan[]> {
  await collector.waitForSpan(
    (span) => span.traceId === id && span.parentSpanId === parentId && span.name === "POST /mcp",
  );
  return collector.spans().filter((span) => span.traceId === id);
}

/** The names of a span and its descendants, as indented lines in the order of their start. */
function draw(spans: ReceivedSpan[], parent = parentId, indent = ""): string[] {
  return spans
    .filter(({ parentSpanId }) => parentSpanId === parent)
    .sort((a, b) => Number(a.startNano - b.startNano))
    .flatMap((span) => [`${indent}${span.name}`, ...draw(spans, span.spanId, `${indent}  `)]);
}

function isStatement(line: string): boolean {
  return /^\s*(?:SELECT|INSERT|UPDATE|BEGIN|COMMIT)/.test(line);
}

test("A call through a plugin is one trace, and the plugin joins it", async () => {
  await execute(`conn:${rows.silent}/show`);
  const { id, headers } = newTrace();
  const result = await execute(`conn:${rows.silent}/show`, {}, headers);
  const spans = await waitForTrace(id);
  const lines = draw(spans);
  expect(lines.filter((line) => !isStatement(line))).toEqual([
    "POST /mcp",
    "  tools/call hub_execute",
    "    trace show",
    "      wick.connector.v1.Connector/Execute",
  ]);
  expect(lines).toContain("    INSERT connector_runs");
  expect(lines).toContain("    UPDATE connector_runs");
  const rpc = spans.find(({ name }) => name.startsWith("wick."));
  expect(result.structuredContent.trace).toEqual({
    traceparent: `00-${id}-${rpc?.spanId}-01`,
  });
  expect(spans.every(({ error }) => error === null)).toBe(true);
  expect(collector.faults()).toEqual([]);
});

test("Spans have the attributes of OpenTelemetry's conventions and of the hub", async () => {
  const { id, headers } = newTrace();
  await execute(`conn:${rows.silent}/show`, {}, headers);
  const spans = await waitForTrace(id);
  const find = (name: string) => spans.find((span) => span.name === name);
  const userId = find("POST /mcp")?.attributes["enduser.id"];
  expect(userId).toMatch(/^[0-9a-f-]{36}$/);
  expect(find("POST /mcp")).toMatchObject({
    kind: "server",
    service: "first",
    attributes: {
      "http.request.method": "POST",
      "url.scheme": "http",
      "http.route": "/mcp",
      "http.response.status_code": 200,
    },
  });
  expect(find("tools/call hub_execute")).toMatchObject({
    kind: "server",
    attributes: {
      "mcp.method.name": "tools/call",
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": "hub_execute",
      "hub.call.source": "mcp",
      "enduser.id": userId,
    },
  });
  expect(find("trace show")).toMatchObject({
    kind: "internal",
    attributes: { "hub.connector.key": "trace", "hub.operation.key": "show" },
  });
  expect(find("wick.connector.v1.Connector/Execute")).toMatchObject({
    kind: "client",
    attributes: { "rpc.system.name": "grpc" },
  });
  expect(find("INSERT connector_runs")).toMatchObject({
    kind: "client",
    attributes: { "db.operation.name": "INSERT", "db.collection.name": "connector_runs" },
  });
});

test("A call through two hubs is one trace", async () => {
  const added = await hub.tryCli(
    [
      ...["row", "add", "http", "--label", "Second", "--tag", "ops", "--json"],
      ...["--set", `base_url=${other.url}`, "--set", "auth_mode=bearer"],
      ...["--set", "send_trace_context=true", "--secret-env", "token=SECOND_TOKEN"],
    ],
    { env: { SECOND_TOKEN: other.adminToken() } },
  );
  const row = added.json<{ id: string }>().id;
  const { id, headers } = newTrace();
  const body = toToolCall("hub_list", {});
  const result = await execute(`conn:${row}/post`, { path: "/mcp", body }, headers);
  expect(result.structuredContent.status).toBe(200);
  await collector.waitForSpan(
    (span) =>
      span.traceId === id &&
      span.service === "second" &&
      span.kind === "server" &&
      span.name === "POST /mcp",
  );
  const lines = draw(await waitForTrace(id)).filter((line) => !isStatement(line));
  expect(lines).toEqual([
    "POST /mcp",
    "  tools/call hub_execute",
    "    http post",
    "      POST /mcp",
    "        tools/call hub_list",
  ]);
});

test("Other systems get the trace context only from rows that allow it, and never baggage", async () => {
  const { id, headers } = newTrace();
  host.takeSent();
  const sent = { ...headers, tracestate: "vendor=1", baggage: "user=ada" };
  await execute(`conn:${rows.silent}/send`, {}, sent);
  await execute(`conn:${rows.sending}/send`, {}, sent);
  const [silent, sending] = host.takeSent();
  expect(silent?.headers).not.toHaveProperty("traceparent");
  expect(silent?.headers).not.toHaveProperty("tracestate");
  expect(sending?.headers.traceparent).toMatch(new RegExp(`^00-${id}-[0-9a-f]{16}-01$`));
  expect(sending?.headers.tracestate).toBe("vendor=1");
  for (const request of [silent, sending]) expect(request?.headers).not.toHaveProperty("baggage");
});

test("A message's own trace context is the parent of its call", async () => {
  const { id, headers } = newTrace();
  const own = newTrace();
  const call = toToolCall("hub_list", {});
  const _meta = { traceparent: own.headers.traceparent, baggage: "user=meta-baggage-4711" };
  const message = { ...call, params: { ...call.params, _meta } };
  await postRpc(hub.url, user.token, message, headers);
  const called = await collector.waitForSpan(
    (span) => span.traceId === own.id && span.name === "tools/call hub_list",
  );
  expect(called.parentSpanId).toBe(parentId);
  const request = (await waitForTrace(id)).find(({ name }) => name === "POST /mcp");
  expect(called.links).toEqual([{ traceId: id, spanId: String(request?.spanId) }]);
});

test("The calls of one message are spans below that of the message", async () => {
  const own = newTrace();
  const call = toToolCall("hub_read", { calls: [{ tool_id: "x" }, { tool_id: "y" }] });
  const _meta = { traceparent: own.headers.traceparent };
  await postRpc(hub.url, user.token, { ...call, params: { ...call.params, _meta } });
  const message = await collector.waitForSpan(
    (span) => span.traceId === own.id && span.parentSpanId === parentId,
  );
  expect(message.name).toBe("tools/call hub_read");
  const found = new Set<string>();
  for (let count = 0; count < 2; count += 1) {
    const inner = await collector.waitForSpan(
      ({ name, spanId, parentSpanId }) =>
        parentSpanId === message.spanId && name.startsWith("tools/call") && !found.has(spanId),
    );
    found.add(inner.spanId);
  }
});

test("A stranger's trace context is ignored, so it cannot attach to a trace", async () => {
  const { id, headers } = newTrace();
  const call = toToolCall("hub_list", {});
  const tokens = [null, "hub_pat_0123456789abcdef0123456789abcdef"];
  for (const token of tokens) {
    expect((await postRpc(hub.url, token, call, headers)).status).toBe(401);
  }
  // Only a few requests of strangers are recorded in a second.
  await waitFor(async () => {
    expect((await fetch(`${hub.url}/auth/login`, { headers })).status).toBe(200);
    return collector.spans().some(({ name }) => name === "GET /auth/login");
  });
  const refused = await collector.waitForSpan(
    ({ attributes }) => attributes["http.response.status_code"] === 401,
  );
  expect(refused.parentSpanId).toBe("");
  expect(collector.spans().filter((span) => span.traceId === id)).toEqual([]);
});

test("A stranger cannot make the hub record a request that it does not sample", async () => {
  await using quiet = await startHub({
    isHere: true,
    env: { ...toEnv("quiet"), OTEL_TRACES_SAMPLER: "parentbased_always_off" },
  });
  const call = toToolCall("hub_list", {});
  const stranger = newTrace();
  await postRpc(quiet.url, null, call, stranger.headers);
  await postRpc(quiet.url, quiet.adminToken(), call);
  const known = newTrace();
  await postRpc(quiet.url, quiet.adminToken(), call, known.headers);
  const unsampled = newTrace("00");
  await postRpc(quiet.url, quiet.adminToken(), call, unsampled.headers);
  await quiet.stop();
  const ids = collector.spans().filter(({ service }) => service === "quiet");
  expect(new Set(ids.map((span) => span.traceId))).toEqual(new Set([known.id]));
});

test("No param, result, secret, token, label, e-mail or address is exported", async () => {
  const { id, headers } = newTrace();
  const marker = "marker-4711";
  const shown = await execute(`conn:${rows.silent}/show`, { marker }, headers);
  expect(shown.structuredContent.marker).toBe(marker);
  const wrong = { unknown_name: marker };
  expect((await execute(`conn:${rows.silent}/show`, wrong, newTrace().headers)).isError).toBe(true);
  await postRpc(hub.url, user.token, toToolCall("hub_search", { query: marker }));
  await postRpc(hub.url, user.token, toToolCall("hub_encrypt", { text: marker }));
  const unknown = newTrace();
  await postRpc(hub.url, user.token, toToolCall("made_up_tool_name", {}), unknown.headers);
  await fetch(`${hub.url}/manager/api/rows/${rows.silent}?q=${marker}`, {
    headers: { authorization: `Bearer ${await hub.makeManageToken()}` },
  });
  await waitForTrace(id);
  await waitForTrace(unknown.id);
  await collector.waitForSpan(({ name }) => name.startsWith("GET /manager/api/rows/"));
  const unknownNames = collector.spans().filter(({ traceId: own }) => own === unknown.id);
  expect(unknownNames.map(({ name }) => name)).toContain("tools/call");
  const received = collector.received();
  for (const text of [
    rowSecret,
    user.token,
    user.email,
    "hidden-label-4711",
    host.url,
    other.url,
  ]) {
    expect(received).not.toContain(text);
  }
  for (const text of [rows.silent, rows.hidden, rows.sending, "meta-baggage-4711", "?q="]) {
    expect(received).not.toContain(text);
  }
  expect(received).not.toContain(marker);
  // The message that the caller gets quotes it.
  const withoutMessages = collector.spans().map(({ error, ...span }) => span);
  expect(Bun.inspect(withoutMessages, { depth: 9 })).not.toContain("made_up_tool_name");
  expect(collector.faults()).toEqual([]);
});

test("A failure is described by the text that the caller gets", async () => {
  const { id, headers } = newTrace();
  const result = await execute(`conn:${rows.silent}/fail`, {}, headers);
  const { error: message } = JSON.parse(result.content[0].text);
  const spans = await waitForTrace(id);
  const call = spans.find(({ name }) => name === "tools/call hub_execute");
  expect(call?.error?.message).toBe(message);
  expect(message).toContain("hub_enc_");
  const deeper = spans.filter(({ name }) => /^(?:trace fail|wick)/.test(name));
  expect(deeper.map(({ error }) => error)).toEqual([{ message: "" }, { message: "" }]);
});

test("A call of a hidden row is exported like one of an unknown row", async () => {
  const shapes = [];
  for (const row of [rows.hidden, crypto.randomUUID()]) {
    const { id, headers } = newTrace();
    await execute(`conn:${row}/show`, {}, headers);
    const spans = await waitForTrace(id);
    const call = spans.find(({ name }) => name === "tools/call hub_execute");
    // These two are read again after a commit, of whichever call it is.
    const kept = /SELECT (?:personal_access_tokens|revision)$/;
    const lines = draw(spans).filter((line) => !kept.test(line));
    shapes.push({ lines, call: call?.attributes, error: call?.error });
  }
  expect(shapes[0]).toEqual(shapes[1]);
});

test("The headers for the collector are sent, and logged nowhere", async () => {
  expect(collector.headers().every((headers) => headers["x-api-key"] === headerSecret)).toBe(true);
  expect(hub.stderr() + hub.stdout()).not.toContain(headerSecret);
});

test("Spans that wait are exported when the hub is stopped", async () => {
  const before = await startHub({
    isHere: true,
    env: { ...toEnv("stopped"), OTEL_BSP_SCHEDULE_DELAY: "600000" },
  });
  await using stopped = before;
  await postRpc(stopped.url, stopped.adminToken(), toToolCall("hub_list", {}));
  expect(collector.spans().some(({ service }) => service === "stopped")).toBe(false);
  expect(await stopped.stop()).toBe(0);
  expect(collector.spans().some(({ service }) => service === "stopped")).toBe(true);
});

/** Calls the hub, 25 times at once. */
async function call(server: RunningHub, times: number): Promise<void> {
  for (let sent = 0; sent < times; sent += 25) {
    const calls = Array.from({ length: 25 }, () =>
      postRpc(server.url, server.adminToken(), toToolCall("hub_list", {})),
    );
    for (const { status } of await Promise.all(calls)) expect(status).toBe(200);
  }
}

async function readSpanCounts(server: RunningHub): Promise<Record<string, number>> {
  const text = await (await fetch(`${server.url}/metrics`)).text();
  const found = text.matchAll(/^hub_trace_spans_total\{outcome="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, outcome, count]) => [outcome, Number(count)]));
}

nightlyTest(
  "With a collector that never answers, calls go on and further spans are dropped",
  async () => {
    await using silent = await startOtlpCollector();
    silent.answerBy(() => {});
    await using server = await startHub({ isHere: true, env: toEnv("silent", silent.url) });
    await waitFor(async () => {
      await call(server, 100);
      return ((await readSpanCounts(server)).dropped ?? 0) > 0;
    });
    expect((await readSpanCounts(server)).exported).toBe(0);
    // The end does not wait for the collector.
    expect(await server.stop()).toBe(0);
  },
);

test("With a collector that fails, the log says so once, without its address and answer", async () => {
  await using failing = await startOtlpCollector();
  failing.answerBy((res) => res.writeHead(400, "collector-status-4711").end("collector-text-4711"));
  await using server = await startHub({ isHere: true, env: toEnv("failing", failing.url) });
  await waitFor(async () => {
    await call(server, 25);
    return failing.requests() > 3 && ((await readSpanCounts(server)).failed ?? 0) > 0;
  });
  expect(await server.stop()).toBe(0);
  const lines = server
    .stderr()
    .split("\n")
    .filter((line) => line.includes("did not accept spans"));
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain("status 400");
  for (const text of [failing.url, headerSecret, "collector-status-4711", "collector-text-4711"]) {
    expect(server.stderr()).not.toContain(text);
  }
});

nightlyTest("A collector's endless answer does not fill the hub's memory", async () => {
  await using endless = await startOtlpCollector();
  const part = Buffer.alloc(1024 * 1024);
  let bytesSent = 0;
  endless.answerBy((res) => {
    res.writeHead(200, { "content-type": "application/x-protobuf" });
    const send = () => {
      while (!res.destroyed && bytesSent < 1024 ** 3) {
        bytesSent += part.length;
        if (!res.write(part)) return;
      }
    };
    res.on("drain", send);
    send();
  });
  await using server = await startHub({ isHere: true, env: toEnv("endless", endless.url) });
  await call(server, 25);
  await waitFor(async () => ((await readSpanCounts(server)).failed ?? 0) > 0);
  expect(await server.stop()).toBe(0);
  // The hub reads no more than 4 MiB. The rest is in the buffers of the connections.
  expect(bytesSent).toBeLessThan(256 * 1024 * 1024);
});

nightlyTest("After an answer that never ends, spans are exported again", async () => {
  await using slow = await startOtlpCollector();
  slow.answerBy((res) => {
    res.writeHead(200);
    const timer = setInterval(() => res.write("x"), 10);
    res.on("close", () => clearInterval(timer));
  });
  await using server = await startHub({
    isHere: true,
    env: { ...toEnv("slow", slow.url), OTEL_EXPORTER_OTLP_TIMEOUT: "100" },
  });
  await call(server, 25);
  await waitFor(() => slow.requests() > 0);
  slow.answerBy(null);
  await waitFor(async () => {
    await call(server, 25);
    return slow.spans().length > 0;
  });
  expect(await server.stop()).toBe(0);
});

test("Without an endpoint, a plugin gets no trace context", async () => {
  await using plain = await startHub({ isHere: true, dataDir: hub.dataDir });
  const sent = newTrace().headers;
  const args = { tool_id: `conn:${rows.sending}/show`, params: {} };
  const answer = await postRpc(plain.url, user.token, toToolCall("hub_execute", args), sent);
  const { result } = (await answer.json()) as { result: { structuredContent: unknown } };
  expect(result.structuredContent).toEqual({ trace: null, marker: null });
  expect(await readSpanCounts(plain)).toEqual({ exported: 0, dropped: 0, failed: 0 });
});

test("A wrong setting of OpenTelemetry stops the start without showing its value", async () => {
  const wrong = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://user:password-4711@localhost:4318" };
  const start = await runCli({ main: hubMain, dataDir: hub.dataDir, env: wrong }, ["serve"]);
  expect(start.exitCode).toBe(1);
  expect(start.stderr).toContain("OTEL_EXPORTER_OTLP_ENDPOINT must be");
  expect(start.stderr).not.toContain("password-4711");
});

test("A call over stdio is a trace of its own, or a part of its client's", async () => {
  await using session = openStdioSession({ dataDir: hub.dataDir, env: toEnv("stdio") });
  session.send(initialize);
  await session.answerTo("initialize");
  session.send(toToolCall("hub_list", {}, 1));
  await session.answerTo(1);
  const { id, headers } = newTrace();
  const call = toToolCall("hub_info", {}, 2);
  session.send({ ...call, params: { ...call.params, _meta: headers } });
  await session.answerTo(2);
  expect(await session.close()).toBe(0);
  const spans = collector.spans().filter(({ service }) => service === "stdio");
  const find = (name: string) => spans.find((span) => span.name === `tools/call ${name}`);
  expect(find("hub_list")?.parentSpanId).toBe("");
  expect(find("hub_info")).toMatchObject({ traceId: id, parentSpanId: parentId });
});
