import { rmSync } from "node:fs";
import { mkdir, mkdtemp } from "node:fs/promises";
import { loadavg } from "node:os";
import { join, resolve } from "node:path";
import { installTracing } from "../scripts/install-tracing.ts";
import { installGenerator } from "./load/install-generator.ts";
import type { Bench, Measure, Row } from "./measure.ts";
import { audit } from "./measures/audit.ts";
import { bridges } from "./measures/bridges.ts";
import { change } from "./measures/change.ts";
import { execute } from "./measures/execute.ts";
import { forms } from "./measures/forms.ts";
import { history } from "./measures/history.ts";
import { latency } from "./measures/latency.ts";
import { list } from "./measures/list.ts";
import { manyReads } from "./measures/many-reads.ts";
import { memory } from "./measures/memory.ts";
import { oauth } from "./measures/oauth.ts";
import { plugin } from "./measures/plugin.ts";
import { postgres } from "./measures/postgres.ts";
import { purge } from "./measures/purge.ts";
import { rows } from "./measures/rows.ts";
import { search } from "./measures/search.ts";
import { signIn } from "./measures/sign-in.ts";
import { start } from "./measures/start.ts";
import { stdio } from "./measures/stdio.ts";
import { traces } from "./measures/traces.ts";
import { workflows } from "./measures/workflows.ts";
import { readOptions } from "./options.ts";
import { describeMachine } from "./report/machine.ts";
import { writeResults } from "./report/results-file.ts";
import { toReport } from "./report/table.ts";

const measures = [
  execute,
  manyReads,
  latency,
  oauth,
  traces,
  signIn,
  plugin,
  bridges,
  list,
  search,
  change,
  start,
  stdio,
  forms,
  memory,
  rows,
  audit,
  history,
  purge,
  workflows,
  postgres,
];
const resultsFolder = resolve(import.meta.dirname, "results");
const minutesMax = 45;

// Servers end and folders are removed when this process ends for any reason.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));
setTimeout(() => {
  console.error(`The run has exceeded its limit of ${minutesMax} minutes. A program hangs.`);
  process.exit(1);
}, minutesMax * 60_000).unref();

try {
  installTracing();
  process.exitCode = await main(process.argv.slice(2));
} catch (err) {
  console.error(err instanceof Error ? err.message : err);
  process.exitCode = 2;
}

async function runAgain(args: readonly string[]): Promise<number> {
  const command = [process.execPath, import.meta.filename, ...args];
  return await Bun.spawn(command, { stdio: ["ignore", "inherit", "inherit"] }).exited;
}

/** Returns 1 if a measure failed. A missed target is a result, not a failure. */
async function main(args: readonly string[]): Promise<number> {
  const { plan, picked, isProfiled } = readOptions(args, measures);
  const startedAt = new Date();
  const loadBefore = loadavg()[0] ?? Number.NaN;
  // Bun caches failed module look-ups, so a newly installed module needs a new process.
  if (await installGenerator()) return await runAgain(args);
  await mkdir(resultsFolder, { recursive: true });
  // In the folder of the results, because a temporary folder may be in memory, without durable writes.
  const workFolder = await mkdtemp(join(resultsFolder, "work-"));
  process.once("exit", () => rmSync(workFolder, { recursive: true, force: true }));
  const bench: Bench = {
    plan,
    profileFolder: isProfiled ? join(resultsFolder, `profiles-${startedAt.getTime()}`) : null,
    createFolder: () => mkdtemp(join(workFolder, "hub-")),
    say: (text) => console.error(text),
  };
  const machine = await describeMachine(workFolder, loadBefore);
  const taken = await takeAll(bench, picked);
  const path = await writeResults(resultsFolder, { startedAt, machine, plan, rows: taken.rows });
  console.log(`${toReport(machine, taken.rows)}\n\n${path}`);
  return taken.failures === 0 ? 0 : 1;
}

async function takeAll(bench: Bench, picked: readonly Measure[]) {
  const taken: { rows: Row[]; failures: number } = { rows: [], failures: 0 };
  for (const measure of picked) {
    const startedAt = performance.now();
    try {
      taken.rows.push(...(await measure.run(bench)));
      const seconds = (performance.now() - startedAt) / 1000;
      bench.say(`${measure.name}: taken in ${seconds.toFixed(1)} s`);
    } catch (err) {
      taken.failures += 1;
      bench.say(`${measure.name} failed: ${err instanceof Error ? err.message : err}`);
    }
  }
  return taken;
}
