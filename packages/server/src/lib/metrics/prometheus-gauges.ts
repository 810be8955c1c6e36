import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import type Registry from "prom-client/lib/registry.js";
import type { CodeProcesses, DatabaseStatus, Gauges } from "./metrics.ts";

/** Adds what is read when metrics are asked for. The function sets it. */
export function addGauges(registers: Registry[]): (gauges: Gauges) => void {
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

/** The processes for scripts. Each label has a line from the start. */
function addCode(registers: Registry[]): (code: CodeProcesses) => void {
  const processes = new Gauge({
    name: "hub_code_processes",
    help: "Processes for scripts, by state: busy or idle.",
    labelNames: ["state"],
    registers,
  });
  const waiting = new Gauge({
    name: "hub_code_waiting",
    help: "Scripts that wait for a process, by work: run or check (of workflows), or script (with calls).",
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
