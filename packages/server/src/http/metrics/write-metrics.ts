import { Counter, Gauge, Registry } from "prom-client";
import type { ErrorCode } from "../../errors.ts";
import { type Tally, tallySpecs } from "../../lib/tallies.ts";
import type { Figures } from "./figures.ts";

type Measured = {
  tallies: Iterable<Tally>;
  refusals: ReadonlyMap<ErrorCode, number>;
  figures: Figures;
};

/** Writes what was measured in the text form of Prometheus. */
export async function writeMetrics({ tallies, refusals, figures }: Measured) {
  const registry = new Registry();
  addTallies(registry, tallies);
  addRefusals(registry, refusals);
  addFigures(registry, figures);
  addProcess(registry, figures.startedAt);
  return { text: await registry.metrics(), contentType: registry.contentType };
}

function addTallies(registry: Registry, tallies: Iterable<Tally>): void {
  const counters = new Map<string, Counter>();
  for (const [name, { help, labels }] of Object.entries(tallySpecs)) {
    counters.set(name, new Counter({ name, help, labelNames: labels, registers: [registry] }));
  }
  for (const { name, labels, value } of tallies) {
    const names: readonly string[] = tallySpecs[name].labels;
    const pairs = names.map((label, place) => [label, labels[place] ?? ""] as const);
    counters.get(name)?.inc(Object.fromEntries(pairs), value);
  }
}

function addRefusals(registry: Registry, refusals: Measured["refusals"]): void {
  const counter = new Counter({
    name: "hub_refused_requests_total",
    help: "Requests that were turned away before a call, by code.",
    labelNames: ["code"],
    registers: [registry],
  });
  for (const [code, count] of refusals) counter.inc({ code }, count);
}

function addFigures(registry: Registry, figures: Figures): void {
  const users = toGauge(registry, "hub_users", "Users, by status.", ["status"]);
  for (const [status, count] of Object.entries(figures.usersByStatus)) users.set({ status }, count);
  toGauge(registry, "hub_sessions", "Signed-in browsers.").set(figures.sessions);
  toGauge(registry, "hub_rows", "Configured rows.").set(figures.rows);
  toGauge(registry, "hub_plugin_processes", "Plugin processes that run.").set(
    figures.pluginProcesses,
  );
  toGauge(registry, "hub_info", "Always 1; the version is in its label.", ["version"]).set(
    { version: figures.version },
    1,
  );
}

/** Under the names that every dashboard knows. */
function addProcess(registry: Registry, startedAt: number): void {
  const { user, system } = process.cpuUsage();
  new Counter({
    name: "process_cpu_seconds_total",
    help: "Processor time, in seconds.",
    registers: [registry],
  }).inc((user + system) / 1e6);
  toGauge(registry, "process_resident_memory_bytes", "Memory in use, in bytes.").set(
    process.memoryUsage.rss(),
  );
  toGauge(registry, "process_start_time_seconds", "Start, in seconds since the epoch.").set(
    startedAt / 1000,
  );
}

function toGauge(registry: Registry, name: string, help: string, labelNames: string[] = []): Gauge {
  return new Gauge({ name, help, labelNames, registers: [registry] });
}
