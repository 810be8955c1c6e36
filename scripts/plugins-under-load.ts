/**
 * Changes plugins during calls: `bun scripts/plugins-under-load.ts [seed] [cycles] [updates]`. First, 32
 * clients call continuously during updates, disabling, enabling and a kill. Then a plugin is loaded, called
 * once and unloaded repeatedly. Prints leaked resources. The exit code is 1 if an update fails a call, or if
 * a resource leaks.
 */

import { waitUntil } from "../packages/server/src/lib/testing/wait-until.ts";
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

const seed = readNumber(process.argv[2], Date.now() % 2 ** 31, "seed");
const cycles = readNumber(process.argv[3], 1000, "cycles");
const updates = readNumber(process.argv[4], 20, "updates");
/** Cycles before the first count, because resources that are opened once are not leaks. */
const warmUpCycles = 20;

const fixture = buildFixture();
try {
  const warmUp = await openLoadBench(fixture);
  await warmUp.install("1.0.0");
  await runCycles(warmUp, warmUpCycles);
  check((await warmUp.close()).length === 0, "the folder for temporary files is empty");
  await showLoad();
  await showCycles();
} finally {
  fixture.remove();
}

async function showLoad(): Promise<void> {
  const before = countResources();
  const startedAt = performance.now();
  const bench = await openLoadBench(fixture);
  const report = await putUnderLoad(bench, { clientCount: 32, updates, seed });
  const leftFiles = await bench.close();
  const perClient = report.failedInKill.map((failures) => failures.length);
  const late = [...report.failedInSwitching, ...report.failedInKill.flat()];
  console.log(
    `seed ${seed}: ${report.answered} calls answered by ${report.processes} processes in ${toSeconds(startedAt)} s`,
  );
  console.log(
    `failed: ${report.failedInUpdates.length} in ${updates} updates, ${report.failedInSwitching.length} when disabled, ${report.failedInKill.flat().length} in flight when killed`,
  );
  check(report.failedInUpdates.length === 0, "no update fails a call");
  check(Math.max(...perClient) <= 1, "a kill fails only running calls");
  check(late.every(isUnavailable), "calls fail only with plugin_unavailable");
  check(
    [...report.leftFiles, ...leftFiles].length === 0,
    "the folder for temporary files is empty",
  );
  checkSame(before, countResources());
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
  checkSame(before.resources, after.resources);
  check(bench.listTemporaryFiles().length === 0, "no ended process leaves a temporary file");
  check((await bench.close()).length === 0, "the folder for temporary files is empty");
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

function checkSame(before: Resources | null, after: Resources | null): void {
  check(Bun.deepEquals(before, after), `no resource leaks: ${JSON.stringify([before, after])}`);
}

function check(isTrue: boolean, statement: string): void {
  if (isTrue) return;
  console.log(`Check failed: ${statement}`);
  process.exitCode = 1;
}

function readNumber(text: string | undefined, otherwise: number, name: string): number {
  if (text === undefined) return otherwise;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  console.error(`${name}: enter an integer, not "${text}"`);
  process.exit(2);
}
