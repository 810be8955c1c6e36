import { aimAt } from "../load/http-request.ts";
import { loadServer, type Throughput } from "../load/load-server.ts";
import type { Bench, Measure } from "../measure.ts";
import { alternate, compareRounds, median } from "../statistics.ts";
import { startNewHub } from "../subjects/hub-folder.ts";
import { startEcho } from "../subjects/start-echo.ts";
import { findWhoami } from "../subjects/whoami.ts";

/** Calls per second on 32 connections, as a share of the calls that a bare echo answers. */
export const execute: Measure = {
  name: "execute",
  async run(bench: Bench) {
    const { rounds, seconds } = bench.plan;
    await using echo = await startEcho();
    await using hub = await startNewHub(bench);
    const whoami = await findWhoami(hub);
    const echoed = aimAt(echo.url, whoami.request);

    const loadHub = () => loadServer({ ...whoami, pid: hub.pid }, seconds);
    const loadEcho = () =>
      loadServer({ pid: echo.pid, request: echoed, expectedBody: echoed.body }, seconds);
    // Compilers and caches warm up before the measurement. The hub needs longer.
    await loadEcho();
    await loadHub();
    await loadHub();
    const runs = await alternate(rounds, { echo: loadEcho, hub: loadHub });

    const share = compareRounds(
      runs.hub,
      runs.echo,
      (ofHub, ofEcho) => (100 * ofHub.perSecond) / ofEcho.perSecond,
    );
    return [
      {
        what: "hub_execute, built in, 32 connections",
        value: share,
        unit: "% of echo",
        target: { atLeast: 12 },
        details: {
          ...toDetails("hub", runs.hub),
          ...toDetails("echo", runs.echo),
          // Less affected by other programs on the machine, but does not include waits for the disk.
          cpu_ratio_percent: (100 * toCpuUs(runs.echo)) / toCpuUs(runs.hub),
        },
      },
    ];
  },
};

function toDetails(name: string, runs: Throughput[]): Record<string, number> {
  return {
    [`${name}_calls_per_s`]: median(runs.map((run) => run.perSecond)),
    [`${name}_cpu_us_per_call`]: toCpuUs(runs),
    [`${name}_busy_percent`]: median(runs.map((run) => run.busyPercent)),
  };
}

function toCpuUs(runs: Throughput[]): number {
  return median(runs.map((run) => run.cpuUs));
}
