import { fileURLToPath } from "node:url";
import { loadServer } from "../load/load-server.ts";
import type { Bench, Measure } from "../measure.ts";
import { alternate, compareRounds, median } from "../statistics.ts";
import { startNewHub } from "../subjects/hub-folder.ts";
import { startProgram } from "../subjects/running-program.ts";
import { findWhoami } from "../subjects/whoami.ts";

/** The variables of each hub, beside the endpoint. */
const hubs = {
  limited: {},
  tenth: {
    OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
    OTEL_TRACES_SAMPLER_ARG: "0.1",
  },
  all: { OTEL_TRACES_SAMPLER: "parentbased_always_on" },
} satisfies Record<string, Record<string, string>>;

/** Processor time of the same calls without traces, and with the spans of some or all of them. */
export const traces: Measure = {
  name: "traces",
  async run(bench: Bench) {
    const { rounds, seconds } = bench.plan;
    await using collector = await startProgram([
      fileURLToPath(import.meta.resolve("../subjects/collector.ts")),
    ]);
    await using opened = new AsyncDisposableStack();
    const open = async (env: Record<string, string>) => {
      const hub = opened.use(await startNewHub(bench, { env }));
      const whoami = await findWhoami(hub);
      const load = () => loadServer({ ...whoami, pid: hub.pid }, seconds);
      await load();
      await load();
      return load;
    };
    const to = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const runs = await alternate(rounds, {
      off: await open({}),
      limited: await open({ ...to, ...hubs.limited }),
      tenth: await open({ ...to, ...hubs.tenth }),
      all: await open({ ...to, ...hubs.all }),
    });
    const toRatio = (name: keyof typeof hubs) =>
      compareRounds(runs[name], runs.off, (one, other) => (100 * one.cpuUs) / other.cpuUs);
    const toCpuUs = (name: keyof typeof runs) => median(runs[name].map((run) => run.cpuUs));
    return [
      {
        what: "processor time of hub_execute with traces, 32 connections",
        value: toRatio("limited"),
        unit: "% of no traces",
        target: { atMost: 110 },
        details: {
          tenth_sampled_percent: toRatio("tenth"),
          all_sampled_percent: toRatio("all"),
          off_cpu_us_per_call: toCpuUs("off"),
          limited_cpu_us_per_call: toCpuUs("limited"),
          tenth_cpu_us_per_call: toCpuUs("tenth"),
          all_cpu_us_per_call: toCpuUs("all"),
          off_calls_per_s: median(runs.off.map((run) => run.perSecond)),
          limited_calls_per_s: median(runs.limited.map((run) => run.perSecond)),
        },
      },
    ];
  },
};
