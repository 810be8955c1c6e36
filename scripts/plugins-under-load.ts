/**
 * Changes plugins while they are called: `bun scripts/plugins-under-load.ts [seed] [cycles] [updates]`.
 * First 32 clients call without pause through so many updates, a switch off and on, and a kill; then
 * a plugin is loaded, called once and unloaded so many times. Prints what was left over after each;
 * a call lost in an update, or anything left over, makes the exit code 1.
 */
import { buildFixture } from "../packages/server/src/plugins/testing/build-fixture.ts";
import {
  countResources,
  type Resources,
} from "../packages/server/src/plugins/testing/count-resources.ts";
import {
  type LoadBench,
  openLoadBench,
} from "../packages/server/src/plugins/testing/open-load-bench.ts";
import {
  isUnavailable,
  putUnderLoad,
} from "../packages/server/src/plugins/testing/put-under-load.ts";
import { createTestCall } from "../packages/server/src/plugins/testing/test-call.ts";
import { waitUntil } from "../packages/server/src/plugins/testing/wait-until.ts";

const seed = readNumber(process.argv[2], Date.now() % 2 ** 31, "seed");
const cycles = readNumber(process.argv[3], 1000, "cycles");
const updates = readNumber(process.argv[4], 20, "updates");
/** So many come before anything is counted: what is opened once and kept is not a leak. */
const warmUpCycles = 20;

const fixture = buildFixture();
try {
  const warmUp = await openLoadBench(fixture);
  await warmUp.install("1.0.0");
  await runCycles(warmUp, warmUpCycles);
  hold((await warmUp.close()).length === 0, "the folder for temporary files is empty");
  await showLoad();
  await showCycles();
} finally {
  fixture.remove();
}

async function showLoad(): Promise<void> {
  const before = countResources();
  const startedAt = performance.now();
  const bench = await openLoadBench(fixture);
  const report = await putUnderLoad(bench, { updates, seed });
  const left = await bench.close();
  const perClient = report.failedInKill.map((failures) => failures.length);
  const late = [...report.failedInSwitching, ...report.failedInKill.flat()];
  console.log(
    `seed ${seed}: ${report.answered} calls answered by ${report.processes} processes in ${toSeconds(startedAt)} s`,
  );
  console.log(
    `failed: ${report.failedInUpdates.length} in ${updates} updates, ${report.failedInSwitching.length} when switched off, ${report.failedInKill.flat().length} in flight when killed`,
  );
  hold(report.failedInUpdates.length === 0, "no update fails a call");
  hold(Math.max(...perClient) <= 1, "a kill fails only calls in flight");
  hold(late.every(isUnavailable), "what fails does so with plugin_unavailable");
  hold([...report.leftFiles, ...left].length === 0, "the folder for temporary files is empty");
  holdSame(before, countResources());
}

async function showCycles(): Promise<void> {
  const bench = await openLoadBench(fixture);
  await bench.install("1.0.0");
  await runCycles(bench, warmUpCycles);
  const before = { memory: measureMemory(), resources: countResources() };
  const startedAt = performance.now();
  await runCycles(bench, cycles);
  const after = { memory: measureMemory(), resources: countResources() };
  console.log(`${cycles} times loaded, called and unloaded in ${toSeconds(startedAt)} s`);
  console.log(`before: ${before.memory}, ${JSON.stringify(before.resources)}`);
  console.log(`after:  ${after.memory}, ${JSON.stringify(after.resources)}`);
  holdSame(before.resources, after.resources);
  hold(bench.listTemporaryFiles().length === 0, "no ended process leaves a temporary file");
  hold((await bench.close()).length === 0, "the folder for temporary files is empty");
}

async function runCycles({ host, registry, pool }: LoadBench, count: number): Promise<void> {
  for (let cycle = 0; cycle < count; cycle += 1) {
    await host.enable("fixture");
    await registry.find("fixture")?.invoke(createTestCall({ params: { text: "x" } }).call);
    await host.disable("fixture");
    await waitUntil(() => pool.list().length === 0);
  }
}

function measureMemory(): string {
  Bun.gc(true);
  const { rss, heapUsed } = process.memoryUsage();
  return `${toMebibytes(rss)} MiB resident, ${toMebibytes(heapUsed)} MiB heap`;
}

function toMebibytes(bytes: number): string {
  return (bytes / 2 ** 20).toFixed(1);
}

function toSeconds(startedAt: number): string {
  return ((performance.now() - startedAt) / 1000).toFixed(1);
}

function holdSame(before: Resources | null, after: Resources | null): void {
  hold(Bun.deepEquals(before, after), `nothing is left over: ${JSON.stringify([before, after])}`);
}

function hold(holds: boolean, law: string): void {
  if (holds) return;
  console.log(`Does not hold: ${law}`);
  process.exitCode = 1;
}

function readNumber(text: string | undefined, otherwise: number, name: string): number {
  if (text === undefined) return otherwise;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  console.error(`${name}: give a whole number, not "${text}"`);
  process.exit(2);
}
