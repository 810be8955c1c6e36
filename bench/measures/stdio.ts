import type { Bench, Measure, Row } from "../measure.ts";
import { median } from "../statistics.ts";
import { createHubFolder, type HubFolder } from "../subjects/hub-folder.ts";
import { compileStdioHub, stdioFromSource } from "../subjects/hub-program.ts";
import { timeStdio } from "../subjects/time-start.ts";
import { createWorkFolder } from "../subjects/work-folder.ts";

/** From the start of `hub mcp serve` to the answer to `initialize`, for which a desktop client waits. */
export const stdio: Measure = {
  name: "stdio",
  async run(bench: Bench) {
    const plain = await createHubFolder(bench);
    const withPlugins = await createWorkFolder(bench);
    const compiled = await compileStdioHub(plain.dataDir);
    return [
      await measureStarts(bench, "hub mcp serve to initialize answered", plain),
      await measureStarts(bench, "the same, with two plugins installed", withPlugins),
      await measureStarts(bench, "the same, compiled, with nothing to build", plain, compiled),
    ];
  },
};

async function measureStarts(
  bench: Bench,
  what: string,
  { dataDir }: HubFolder,
  command = stdioFromSource,
): Promise<Row> {
  const tookMs: number[] = [];
  for (let count = 0; count < bench.plan.starts; count += 1) {
    tookMs.push(await timeStdio(command, dataDir));
  }
  return {
    what,
    value: median(tookMs),
    unit: "ms",
    target: { atMost: 150 },
    details: { fastest_ms: Math.min(...tookMs), slowest_ms: Math.max(...tookMs) },
  };
}
