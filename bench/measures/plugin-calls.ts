import { loadServer, type Throughput } from "../load/load-server.ts";
import { pace } from "../load/pace.ts";
import { send } from "../load/send.ts";
import type { Bench, Row } from "../measure.ts";
import { alternate, compareRounds, median, percentile } from "../statistics.ts";
import type { HubFolder } from "../subjects/hub-folder.ts";
import { findChildren, readCpuMs } from "../subjects/process-cost.ts";
import { openWorkSession, startWorkHub, type WorkKey } from "../subjects/work-folder.ts";

const perSecond = 500;

/** Calls per second on 32 connections, and the duration of one call at a moderate rate. */
export async function measurePluginCalls(bench: Bench, folder: HubFolder): Promise<Row[]> {
  const { rounds, seconds } = bench.plan;
  await using hub = await startWorkHub(bench, folder);
  const session = await openWorkSession(hub, folder);
  const toTarget = async (key: WorkKey) => {
    const request = session.toWork(key, "greet", { name: "Ada" });
    return { request, expectedBody: await send(request) };
  };
  const builtIn = await toTarget("compiled_work");
  const plugged = await toTarget("work");

  const load = (target: typeof plugged) => loadServer({ ...target, pid: hub.pid }, seconds);
  // The plugin warms up twice, because it has more code to compile.
  for (const target of [builtIn, plugged, plugged]) await load(target);
  const pluginsBeforeMs = await readPluginsCpuMs(hub.pid, folder);
  const loads = await alternate(rounds, {
    builtIn: () => load(builtIn),
    plugged: () => load(plugged),
  });
  const pluginsMs = (await readPluginsCpuMs(hub.pid, folder)) - pluginsBeforeMs;
  const pluggedCalls = loads.plugged.reduce((sum, run) => sum + run.perSecond * seconds, 0);

  const paceAt = ({ request, expectedBody }: typeof plugged) =>
    pace(request, { perSecond, seconds, expectedBody });
  const paces = await alternate(rounds, {
    builtIn: () => paceAt(builtIn),
    plugged: () => paceAt(plugged),
  });
  const at = (name: "builtIn" | "plugged", percent: number) =>
    paces[name].map((tookMs) => percentile(tookMs, percent));

  return [
    {
      what: "hub_execute through a plugin, 32 connections",
      value: compareRounds(
        loads.plugged,
        loads.builtIn,
        (one, other) => (100 * one.perSecond) / other.perSecond,
      ),
      unit: "% of built in",
      target: { atLeast: 40 },
      details: {
        plugin_calls_per_s: median(loads.plugged.map(toPerSecond)),
        built_in_calls_per_s: median(loads.builtIn.map(toPerSecond)),
        plugin_hub_cpu_us_per_call: median(loads.plugged.map(({ cpuUs }) => cpuUs)),
        plugin_own_cpu_us_per_call: (1000 * pluginsMs) / pluggedCalls,
        built_in_cpu_us_per_call: median(loads.builtIn.map(({ cpuUs }) => cpuUs)),
      },
    },
    {
      what: `the same, p50 added at ${perSecond}/s`,
      value: compareRounds(at("plugged", 50), at("builtIn", 50), (one, other) => one - other),
      unit: "ms",
      target: { atMost: 1 },
      details: {
        plugin_p50_ms: median(at("plugged", 50)),
        built_in_p50_ms: median(at("builtIn", 50)),
        plugin_p99_ms: median(at("plugged", 99)),
        built_in_p99_ms: median(at("builtIn", 99)),
      },
    },
  ];
}

function toPerSecond({ perSecond: calls }: Throughput): number {
  return calls;
}

async function readPluginsCpuMs(hubPid: number, { dataDir }: HubFolder): Promise<number> {
  const costs = (await findChildren(hubPid, dataDir)).map(readCpuMs);
  return (await Promise.all(costs)).reduce((sum: number, ms) => sum + (ms ?? Number.NaN), 0);
}
