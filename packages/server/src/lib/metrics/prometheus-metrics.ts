// The package as a whole loads what pushes and collects in a cluster, which takes five times as long.
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import Registry from "prom-client/lib/registry.js";
import { createCounterSums } from "./counter-sums.ts";
import type { MeasuredCall, Metrics } from "./metrics.ts";
import { addGauges } from "./prometheus-gauges.ts";

type MetricsDeps = {
  /** Other tool names are counted as "other", to bound the number of labels. */
  metaToolNames: readonly string[];
  startedAt: number;
};

/** In seconds, from an answer from memory to the default timeout of an operation. */
const callSecondsBuckets = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180,
];

const statusClasses = ["0xx", "1xx", "2xx", "3xx", "4xx", "5xx"];

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
  const requestSums = createCounterSums(requests, ["door", "status"]);
  const callSums = createCounterSums(calls, ["outcome", "code"]);
  const setGauges = addGauges(registers);
  addProcess(registers, deps.startedAt);

  function findMetaTool({ isMcp, connectorKey, operationKey, metaTool }: MeasuredCall): string {
    if (!isMcp) return "";
    if (connectorKey !== null) return metaTool ?? "hub_execute";
    return metaToolNames.has(operationKey) ? operationKey : "other";
  }

  return {
    countRequest(door, httpStatus) {
      requestSums.add(door, statusClasses[Math.floor(httpStatus / 100)] ?? "other", 1);
    },
    countRefusal: (code) => refusals.inc({ code }),
    countCall(call) {
      const { status: outcome, errorCode, latencyMs } = call;
      const labels = { meta_tool: findMetaTool(call), connector: call.connectorKey ?? "", outcome };
      callSums.add(outcome, errorCode ?? "", 1);
      callSeconds.observe(labels, latencyMs / 1000);
      callSecondsTotal.inc({ outcome }, latencyMs / 1000);
    },
    countSignIn: (way, outcome) => signIns.inc({ way, outcome }),
    async write(gauges) {
      requestSums.flush();
      callSums.flush();
      setGauges(gauges);
      return { text: await registry.metrics(), contentType: registry.contentType };
    },
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
