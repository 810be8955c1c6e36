import { expect, test } from "bun:test";
import type { MeasuredCall } from "./metrics.ts";
import { createPrometheusMetrics } from "./prometheus-metrics.ts";

const gauges = {
  version: "1",
  usersByStatus: {},
  sessions: 0,
  rows: 0,
  pluginProcesses: 0,
  requests: { running: 0, waiting: 0 },
  callsRunning: 0,
  runWritesWaiting: 0,
  code: {
    busy: 2,
    idle: 1,
    waiting: { run: 5, check: 0, script: 2 },
    killed: { timeout: 3, memory: 0, crash: 0, cancelled: 1 },
  },
  embeddings: null,
  serversByVersion: {},
  database: null,
  spans: null,
  logLinesLost: 0,
};

async function write(...calls: Partial<MeasuredCall>[]) {
  const metrics = createPrometheusMetrics({ metaToolNames: ["hub_list"], startedAt: 0 });
  for (const call of calls) {
    metrics.countCall({
      isMcp: true,
      operationKey: "read",
      connectorKey: "fixture",
      status: "success",
      errorCode: null,
      latencyMs: 20,
      ...call,
    });
  }
  return (await metrics.write(gauges)).text;
}

const countOf = (text: string, labels: string) =>
  text.split("\n").find((line) => line.startsWith(`hub_call_duration_seconds_count{${labels}}`));

test("A call's duration falls into the buckets at and above it", async () => {
  const text = await write({}, { latencyMs: 30_000 });
  const labels = 'meta_tool="hub_execute",connector="fixture",outcome="success"';
  expect(text).toContain(`hub_call_duration_seconds_bucket{le="0.01",${labels}} 0\n`);
  expect(text).toContain(`hub_call_duration_seconds_bucket{le="0.025",${labels}} 1\n`);
  expect(text).toContain(`hub_call_duration_seconds_bucket{le="30",${labels}} 2\n`);
  expect(text).toContain(`hub_call_duration_seconds_sum{${labels}} 30.02\n`);
});

test("Calls have the labels meta-tool, connector and outcome", async () => {
  const text = await write(
    { connectorKey: null, operationKey: "hub_list" },
    { isMcp: false, status: "error", errorCode: "timeout" },
  );
  expect(countOf(text, 'meta_tool="hub_list",connector="",outcome="success"')).toEndWith(" 1");
  expect(countOf(text, 'meta_tool="",connector="fixture",outcome="error"')).toEndWith(" 1");
  expect(text).toContain('hub_calls_total{outcome="error",code="timeout"} 1\n');
});

test("The processes for scripts have metrics, also those that count nothing", async () => {
  await write();
  const text = await write();
  for (const line of [
    'hub_code_processes{state="busy"} 2',
    'hub_code_processes{state="idle"} 1',
    'hub_code_waiting{work="run"} 5',
    'hub_code_waiting{work="check"} 0',
    'hub_code_waiting{work="script"} 2',
    'hub_code_processes_killed_total{reason="timeout"} 3',
    'hub_code_processes_killed_total{reason="memory"} 0',
    'hub_code_processes_killed_total{reason="crash"} 0',
    'hub_code_processes_killed_total{reason="cancelled"} 1',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
});

test("Unknown tool names from clients share one label", async () => {
  const madeUp = ["a", "b", "c"].map((operationKey) => ({ operationKey, connectorKey: null }));
  const text = await write(...madeUp);
  expect(countOf(text, 'meta_tool="other",connector="",outcome="success"')).toEndWith(" 3");
  expect(text.split("hub_call_duration_seconds_count").length - 1).toBe(1);
});

test("The connections to a database server have metrics, and none with a database in the process", async () => {
  const metrics = createPrometheusMetrics({ metaToolNames: [], startedAt: 0 });
  expect((await metrics.write(gauges)).text).not.toContain("hub_database");
  const connections = { max: 10, open: 9, busy: 3, waiting: 2, opened: 14 };
  const database = { roundTripMs: 1.5, clockOffsetMs: -300_000, connections };
  await metrics.write({ ...gauges, database, serversByVersion: { "1.0.0": 3 } });
  const { text } = await metrics.write({ ...gauges, database, serversByVersion: { "1.1.0": 2 } });
  for (const line of [
    "hub_database_pool_connections_max 10",
    "hub_database_pool_connections 9",
    "hub_database_pool_busy 3",
    "hub_database_pool_waiting 2",
    "hub_database_pool_connections_opened_total 14",
    "hub_database_round_trip_seconds 0.0015",
    "hub_clock_offset_seconds -300",
    'hub_servers{version="1.1.0"} 2',
  ]) {
    expect(text).toContain(`${line}\n`);
  }
  expect(text).not.toContain('hub_servers{version="1.0.0"}');
});
