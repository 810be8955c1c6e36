import { loadServer, type Throughput } from "../load/load-server.ts";
import type { Bench, Row } from "../measure.ts";
import { alternate, compareRounds, median } from "../statistics.ts";
import { type HubContent, startNewHub } from "../subjects/hub-folder.ts";
import { findWhoami } from "../subjects/whoami.ts";

/** The largest ratio that counts as constant on a noisy machine. */
const flat = { atMost: 1.1 };

type Size = { name: string; content: HubContent };

/**
 * The cost of one `hub_execute` on hubs of different sizes, compared with the first. All hubs run at the same
 * time and alternate, so that only the size differs.
 */
export async function compareSizes(bench: Bench, sizes: readonly Size[]): Promise<Row[]> {
  await using hubs = new AsyncDisposableStack();
  const subjects: Record<string, () => Promise<Throughput>> = {};
  for (const { name, content } of sizes) {
    const hub = hubs.use(await startNewHub(bench, { content }));
    const whoami = await findWhoami(hub);
    subjects[name] = () => loadServer({ ...whoami, pid: hub.pid }, bench.plan.seconds);
    await subjects[name]();
  }
  const runs = await alternate(bench.plan.rounds, subjects);

  const [smallest, ...larger] = sizes.map(({ name }) => ({ name, costsUs: toCostsUs(runs[name]) }));
  if (smallest === undefined) throw new Error("There are no sizes to compare.");
  return larger.map(({ name, costsUs }) => ({
    what: `cost per call, ${name} against ${smallest.name}`,
    value: compareRounds(costsUs, smallest.costsUs, (one, other) => one / other),
    unit: "× the smallest",
    target: flat,
    details: {
      best_ratio: Math.min(...costsUs) / Math.min(...smallest.costsUs),
      us_per_call: median(costsUs),
      smallest_us_per_call: median(smallest.costsUs),
      cpu_us_per_call: toCpuUs(runs[name]),
      smallest_cpu_us_per_call: toCpuUs(runs[smallest.name]),
    },
  }));
}

function toCostsUs(runs: readonly Throughput[] = []): number[] {
  return runs.map((run) => 1_000_000 / run.perSecond);
}

function toCpuUs(runs: readonly Throughput[] = []): number {
  return median(runs.map((run) => run.cpuUs));
}
