// The package as a whole loads what pushes and collects in a cluster, which takes five times as long.
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import Registry from "prom-client/lib/registry.js";
import type { CodeProcesses, DatabaseStatus, Gauges, MeasuredCall, Metrics } from "./metrics.ts";

type MetricsDeps = {
  /** Other tool names are counted as "other", to bound the number of labels. */
  metaToolNames: readonly string[];
  startedAt: number;
};

/** In seconds, from an answer from memory to the default timeout of an operation. */
const callSecondsBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180,
];

/** Counters and histograms since the start, in a separate registry. */
export function createPrometheusMetrics(deps: MetricsDeps): Metrics {
  const registers = [new Registry()];
  const [registry] = registers as [Registry];
  const metaToolNames = new Set(deps.metaToolNames);
  const requests = new Counter({
    name: "hub_http_requests_total",
    help: "Answered requests, by door (kind of route) and class of status.",
    labelNames: ["door", "status"],
    registers,
  });
  const refusals = new Counter({
    name: "hub_refused_requests_total",
    help: "Requests that were refused before a call, by code.",
    labelNames: ["code"],
    registers,
  });
  const calls = new Counter({
    name: "hub_calls_total",
    help: "Calls of operations and meta-tools that ended, by outcome and code of failure.",
    labelNames: ["outcome", "code"],
    registers,
  });
  const callSeconds = new Histogram({
    name: "hub_call_duration_seconds",
    help: "Duration of calls, by meta-tool, connector and outcome. meta_tool is empty for calls that did not come over MCP.",
    labelNames: ["meta_tool", "connector", "outcome"],
    buckets: callSecondsBuckets,
    registers,
  });
  const callSecondsTotal = new Counter({
    name: "hub_call_seconds_total",
    help: "Total duration of calls, by outcome.",
    labelNames: ["outcome"],
    registers,
  });
  const signIns = new Counter({
    name: "hub_sign_ins_total",
    help: "Attempts to sign in, by method and outcome.",
    labelNames: ["way", "outcome"],
    registers,
  });
  const setGauges = addGauges(registers);
  addProcess(registers, deps.startedAt);

  function findMetaTool({ isMcp, connectorKey, operationKey }: MeasuredCall): string {
    if (!isMcp) return "";
    if (connectorKey !== null) return "hub_execute";
    return metaToolNames.has(operationKey) ? operationKey : "other";
  }

  return {
    countRequest(door, httpStatus) {
      requests.inc({ door, status: `${Math.floor(httpStatus / 100)}xx` });
    },
    countRefusal: (code) => refusals.inc({ code }),
    countCall(call) {
      const { status: outcome, errorCode, latencyMs } = call;
      const labels = { meta_tool: findMetaTool(call), connector: call.connectorKey ?? "", outcome };
      calls.inc({ outcome, code: errorCode ?? "" });
      callSeconds.observe(labels, latencyMs / 1000);
      callSecondsTotal.inc({ outcome }, latencyMs / 1000);
    },
    countSignIn: (way, outcome) => signIns.inc({ way, outcome }),
    async write(gauges) {
      setGauges(gauges);
      return { text: await registry.metrics(), contentType: registry.contentType };
    },
  };
}

function addGauges(registers: Registry[]): (gauges: Gauges) => void {
  const toGauge = (name: string, help: string, labelNames: string[] = []) =>
    new Gauge({ name, help, labelNames, registers });
  const users = toGauge("hub_users", "Users, by status.", ["status"]);
  const sessions = toGauge("hub_sessions", "Signed-in browsers.");
  const rows = toGauge("hub_rows", "Configured rows.");
  const processes = toGauge("hub_plugin_processes", "Plugin processes that run.");
  const requestsRunning = toGauge(
    "hub_requests_running",
    "Requests of the API, pages, webhooks, OAuth and channels that are being answered.",
  );
  const requestsWaiting = toGauge(
    "hub_requests_waiting",
    "Requests of all doors that wait in their lane.",
  );
  const running = toGauge("hub_calls_running", "Calls that wait for their connector.");
  const waiting = toGauge("hub_run_writes_waiting", "Recorded calls that wait to be written.");
  const texts = toGauge("hub_embedding_texts", "Texts that searches compare by meaning.");
  const vectors = toGauge("hub_embedding_vectors", "Those of these texts that have a vector.");
  const servers = toGauge("hub_servers", "Servers that share the database, by version.", [
    "version",
  ]);
  const setDatabase = addDatabase(registers);
  const setCode = addCode(registers);
  const spans = new Counter({
    name: "hub_trace_spans_total",
    help: "Spans of recorded traces, by outcome: exported, dropped because too many waited, or failed at the collector.",
    labelNames: ["outcome"],
    registers,
  });
  const logLinesLost = new Counter({
    name: "hub_log_lines_lost_total",
    help: "Lines of the log that could not be written.",
    registers,
  });
  const info = toGauge("hub_info", "Always 1; the version is in its label.", ["version"]);
  return (gauges) => {
    for (const [status, count] of Object.entries(gauges.usersByStatus)) {
      users.set({ status }, count);
    }
    sessions.set(gauges.sessions);
    rows.set(gauges.rows);
    processes.set(gauges.pluginProcesses);
    requestsRunning.set(gauges.requests.running);
    requestsWaiting.set(gauges.requests.waiting);
    running.set(gauges.callsRunning);
    waiting.set(gauges.runWritesWaiting);
    texts.set(gauges.embeddings?.texts ?? 0);
    vectors.set(gauges.embeddings?.vectors ?? 0);
    spans.reset();
    spans.inc({ outcome: "exported" }, gauges.spans?.exported ?? 0);
    spans.inc({ outcome: "dropped" }, gauges.spans?.dropped ?? 0);
    spans.inc({ outcome: "failed" }, gauges.spans?.failed ?? 0);
    logLinesLost.reset();
    logLinesLost.inc(gauges.logLinesLost);
    info.set({ version: gauges.version }, 1);
    // A version that has gone leaves no line.
    servers.reset();
    for (const [version, count] of Object.entries(gauges.serversByVersion)) {
      servers.set({ version }, count);
    }
    setCode(gauges.code);
    if (gauges.database !== null) setDatabase(gauges.database);
  };
}

/** The processes for scripts of workflows. Each label has a line from the start. */
function addCode(registers: Registry[]): (code: CodeProcesses) => void {
  const processes = new Gauge({
    name: "hub_code_processes",
    help: "Processes for the scripts of workflows, by state: busy or idle.",
    labelNames: ["state"],
    registers,
  });
  const waiting = new Gauge({
    name: "hub_code_waiting",
    help: "Scripts of workflows that wait for a process, by work: run or check.",
    labelNames: ["work"],
    registers,
  });
  const killed = new Counter({
    name: "hub_code_processes_killed_total",
    help: "Processes for scripts that did not end well, by reason: timeout, memory, crash, or cancelled with their run.",
    labelNames: ["reason"],
    registers,
  });
  return (code) => {
    processes.set({ state: "busy" }, code.busy);
    processes.set({ state: "idle" }, code.idle);
    for (const [work, count] of Object.entries(code.waiting)) waiting.set({ work }, count);
    killed.reset();
    for (const [reason, count] of Object.entries(code.killed)) killed.inc({ reason }, count);
  };
}

/** The connections to PostgreSQL. They have no lines with SQLite. */
function addDatabase(registers: Registry[]): (database: DatabaseStatus) => void {
  const gauges = new Map<string, Gauge>();
  const find = (name: string, help: string): Gauge => {
    const gauge = gauges.get(name) ?? new Gauge({ name, help, registers });
    gauges.set(name, gauge);
    return gauge;
  };
  let opened: Counter | undefined;
  return ({ roundTripMs, clockOffsetMs, connections }) => {
    const { max, open, busy, waiting } = connections;
    const pool = "hub_database_pool";
    find(`${pool}_connections_max`, "Connections that the pool may open.").set(max);
    find(`${pool}_connections`, "Open connections of the pool.").set(open);
    find(`${pool}_busy`, "Statements and transactions in progress.").set(busy);
    find(`${pool}_waiting`, "Callers that wait for a connection of the pool.").set(waiting);
    find("hub_database_round_trip_seconds", "Duration of a statement that reads nothing.").set(
      roundTripMs / 1000,
    );
    find("hub_clock_offset_seconds", "By how much the database's clock is ahead.").set(
      clockOffsetMs / 1000,
    );
    opened ??= new Counter({
      name: `${pool}_connections_opened_total`,
      help: "Connections that were opened, also in place of lost ones.",
      registers,
    });
    opened.reset();
    opened.inc(connections.opened);
  };
}

/** Process metrics under Prometheus's standard names. */
function addProcess(registers: Registry[], startedAt: number): void {
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time, in seconds.",
    registers,
    collect() {
      const { user, system } = process.cpuUsage();
      this.reset();
      this.inc((user + system) / 1e6);
    },
  });
  new Gauge({
    name: "process_resident_memory_bytes",
    help: "Memory in use, in bytes.",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: "hub_event_loop_lag_seconds",
    help: "How long the event loop is busy with other work, measured by each scrape.",
    registers,
    async collect() {
      const startedAt = performance.now();
      await new Promise((resolve) => setImmediate(resolve));
      this.set((performance.now() - startedAt) / 1000);
    },
  });
  new Gauge({
    name: "process_start_time_seconds",
    help: "Start, in seconds since the epoch.",
    registers,
  }).set(startedAt / 1000);
}
