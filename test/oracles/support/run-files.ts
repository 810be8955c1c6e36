/**
 * Runs the test files of this folder, several at a time and the longest first, so that none of them runs
 * alone at the end. Usage: run-files.ts [REPORT.xml [NAME...]]; the report is JUnit, a name is that of a
 * file without its ending; `nightly` stands for those that take too long for a run without names.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { endWithRunner } from "../../support/end-with-runner.ts";

/** Four keep two cores busy, because many tests wait. */
const atOnce = 4;
/** Those that take more than 8 seconds of CPU, or wait for long, the longest first. */
const longest = [
  ...["postgres-store", "row-pages", "postgres-suite", "admin-pages", "failing-pages"],
  ...[
    "canvas-pages",
    "workflow-pages",
    "connector-pages",
    "postgres-channels",
    "postgres-plugins",
    "management-client",
    "canvas-parts-pages",
    "postgres-servers",
    "approval-pages",
    "channel-pages",
  ],
  ...["postgres-workflows", "workflow-parts-pages", "postgres-faults"],
  ...["postgres-addresses", "version-1-hosts", "install-pages", "postgres-copy", "browser"],
  ...["codehost", "ordinary-user-pages", "first-run-pages", "postgres-isolation", "runs-pages"],
  ...["large-results-pages", "logs-pages", "app-pages", "hostile-texts-pages", "people-pages"],
];

/** Trials by mass, which `.ci/nightly` runs, or a run that names them. Their parts have tests of their own. */
const nightly = ["replicas"];

const folder = resolve(import.meta.dirname, "..");
const [report, ...names] = process.argv.slice(2);
const chosen = names.flatMap((name) => (name === "nightly" ? nightly : [name]));
const results = await mkdtemp(join(tmpdir(), "hub-oracles-"));
const suites: string[] = [];
const totals = { tests: 0, failures: 0, skipped: 0 };

const waiting = (await readdir(folder))
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => file.slice(0, -".test.ts".length))
  .filter((name) => (chosen.length === 0 ? !nightly.includes(name) : chosen.includes(name)))
  .toSorted((a, b) => toRank(a) - toRank(b));
await Promise.all(Array.from({ length: atOnce }, runNext));

await rm(results, { recursive: true });
const { tests, failures, skipped } = totals;
if (report !== undefined) {
  const counts = `tests="${tests}" failures="${failures}" skipped="${skipped}"`;
  await writeFile(
    report,
    `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n${suites.join("")}</testsuites>\n`,
  );
}
console.log(`\n${tests - failures - skipped} pass, ${failures} fail, ${skipped} skip`);
process.exit(failures > 0 ? 1 : 0);

function toRank(name: string): number {
  const rank = longest.indexOf(name);
  return rank === -1 ? longest.length : rank;
}

async function runNext(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) await runFile(name);
}

async function runFile(name: string): Promise<void> {
  const xml = join(results, `${name}.xml`);
  const options = ["--timeout=60000", "--reporter=junit", `--reporter-outfile=${xml}`];
  const started = performance.now();
  const child = Bun.spawn([process.execPath, "test", ...options, `./${name}.test.ts`], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  endWithRunner(child);
  const [stdout, stderr, exitCode] = await Promise.all([
    child.stdout.text(),
    child.stderr.text(),
    child.exited,
  ]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  // Of the process and of those that it has waited for. Microseconds.
  const cpuSeconds = (Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6).toFixed(1);
  const times = `${seconds} s, ${cpuSeconds} s of CPU`;
  console.log(`${stderr.trim()}\n${stdout.trim()}\n${name}: ${times}`);
  addReport(name, exitCode, await readFile(xml, "utf8").catch(() => ""));
}

/** Adds the counts of a file. A failed process without a failed test counts as one failure. */
function addReport(name: string, exitCode: number, xml: string): void {
  const root = /<testsuites\b[^>]*>/.exec(xml)?.[0] ?? "";
  const read = (count: string) => Number(new RegExp(`\\b${count}="(\\d+)"`).exec(root)?.[1] ?? 0);
  const found = { tests: read("tests"), failures: read("failures"), skipped: read("skipped") };
  const isBroken = found.tests === 0 || (exitCode !== 0 && found.failures === 0);
  if (isBroken) console.error(`${name}: the runner failed with exit code ${exitCode}`);
  totals.tests += found.tests + (isBroken ? 1 : 0);
  totals.failures += found.failures + (isBroken ? 1 : 0);
  totals.skipped += found.skipped;
  suites.push(xml.slice(xml.indexOf(root) + root.length).replace(/<\/testsuites>\s*$/, ""));
}
