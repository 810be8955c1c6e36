/**
 * Runs the test files of this folder, several at a time and the longest first, so that none of them runs
 * alone at the end. Usage: run-files.ts [REPORT.xml [NAME...]]; the report is JUnit, a name is that of a
 * file without its ending. Without names, those that only `.ci/nightly` runs are left out, unless `HUB_TEST_AMOUNT=all`.
 */
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import process from "node:process";
import { isWholeAmount } from "../../../packages/server/src/lib/testing/amount.ts";
import { endWithRunner } from "../../support/end-with-runner.ts";
import { byNameOnly, nightlyFiles } from "../../support/nightly-files.ts";

/** Four keep two cores busy, because many tests wait. */
const atOnce = 4;
/**
 * Files that one process runs, one after the other: those of pages share a browser, those of PostgreSQL a server, and all
 * share the modules.
 */
const together = [
  ["admin-pages", "channel-pages", "browser", "webhook-answers", "consent-in-chromium"],
  ["connector-pages", "approval-pages", "pending-call-pages", "callable-pages"],
  ["failing-pages", "first-run-pages", "app-pages"],
  ["bridge-pages", "runs-pages", "workflow-pages", "hostile-texts-pages"],
  ["row-pages", "canvas-pages"],
  // Pages of `.ci/nightly` alone.
  ["canvas-parts-pages", "canvas-values-pages", "canvas-gestures-pages", "drawn-workflow-pages"],
  ["connection-pages", "connect-pages", "install-pages", "people-pages", "account-pages"],
  ["rule-pages", "keyboard-pages", "operation-widgets-pages", "large-results-pages", "palette"],
  ["workflow-parts-pages", "ordinary-user-pages", "logs-pages"],
  // The first one builds the plugin in Go for all.
  ["go-plugin", "version-1-plugins", "version-1-hosts"],
  // Files with PostgreSQL share a server.
  [
    "postgres-store",
    "postgres-run-plans",
    "postgres-audit",
    "postgres-limits",
    "postgres-connections",
  ],
  ["postgres-workflows", "postgres-suite", "postgres-channels", "postgres-traces"],
  ["postgres-servers", "postgres-plugins", "postgres-isolation", "postgres-replicas"],
  ["postgres-copy", "postgres-keys", "service-settings", "postgres-round-trips"],
  ["postgres-faults", "postgres-signals", "postgres-addresses"],
  [
    "elicitation",
    "elicitation-newest",
    "elicitation-approvals",
    "tasks",
    "json-schema",
    "codehost-size",
  ],
  ["slack", "slack-emulators", "emulator"],
];
/** Those that take longest, the longest first. A group stands by its first one. */
const longest = [
  ...["go-plugin", "bridge-pages", "admin-pages", "connector-pages", "postgres-store"],
  ...["failing-pages", "row-pages", "connection-pages", "canvas-parts-pages"],
  ...["postgres-workflows", "postgres-servers", "postgres-copy", "one-file", "conformance"],
  ...["task-client", "management-client", "openapi-documents", "codehost", "workflow-replicas"],
  ...["postgres-faults", "command-line-clients", "mcp-servers", "elicitation"],
];

/** As in `npm test`: what is compiled for programs that live for seconds costs more than it saves. Their hubs get the same. */
const compilerOptions = {
  MIMALLOC_PURGE_DELAY: "-1",
  BUN_JSC_useFTLJIT: "0",
  BUN_JSC_thresholdForJITAfterWarmUp: "2000",
};
/** The files of a process share a browser and a PostgreSQL server. */
const keeping = { HUB_TEST_KEEP_BROWSER: "1", HUB_TEST_KEEP_POSTGRES: "1" };
/** Those that a run without names leaves out. */
const leftOut = [...byNameOnly, ...(isWholeAmount ? [] : Object.keys(nightlyFiles))];

const folder = resolve(import.meta.dirname, "..");
const [report, ...names] = process.argv.slice(2);
const results = await mkdtemp(join(tmpdir(), "hub-oracles-"));
const suites: string[] = [];
const totals = { tests: 0, failures: 0, skipped: 0 };

const files = (await readdir(folder))
  .filter((file) => file.endsWith(".test.ts"))
  .map((file) => file.slice(0, -".test.ts".length))
  .filter((name) =>
    names.length === 0 ? !leftOut.includes(`test/oracles/${name}.test.ts`) : names.includes(name),
  );
const waiting = toGroups(files).toSorted((a, b) => toRank(a) - toRank(b));
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

function toGroups(names: readonly string[]): string[][] {
  const grouped = together.map((group) => group.filter((name) => names.includes(name)));
  const alone = names.filter((name) => !together.flat().includes(name));
  return [...grouped.filter(({ length }) => length > 0), ...alone.map((name) => [name])];
}

function toRank([first = ""]: readonly string[]): number {
  const rank = longest.indexOf(first);
  return rank === -1 ? longest.length : rank;
}

async function runNext(): Promise<void> {
  for (let group = waiting.shift(); group !== undefined; group = waiting.shift())
    await runGroup(group);
}

async function runGroup(names: readonly string[]): Promise<void> {
  const name = names.join(", ");
  const xml = join(results, `${names[0]}.xml`);
  const options = ["--timeout=180000", "--reporter=junit", `--reporter-outfile=${xml}`];
  if (names.length > 1) options.push("--no-isolate");
  const paths = names.map((each) => `./${each}.test.ts`);
  const started = performance.now();
  const child = Bun.spawn([process.execPath, "test", ...options, ...paths], {
    cwd: folder,
    env: { ...compilerOptions, ...process.env, ...keeping },
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
  addReport(names, exitCode, await readFile(xml, "utf8").catch(() => ""));
}

/** Adds the counts of files. One without tests, and a failed process without a failed test, count as one failure. */
function addReport(names: readonly string[], exitCode: number, xml: string): void {
  const root = /<testsuites\b[^>]*>/.exec(xml)?.[0] ?? "";
  const read = (count: string) => Number(new RegExp(`\\b${count}="(\\d+)"`).exec(root)?.[1] ?? 0);
  const found = { tests: read("tests"), failures: read("failures"), skipped: read("skipped") };
  const missing = names.filter((name) => !xml.includes(`file="${name}.test.ts"`));
  const isBroken = missing.length > 0 || (exitCode !== 0 && found.failures === 0);
  if (isBroken) console.error(`${names}: the runner failed with exit code ${exitCode}`);
  if (missing.length > 0) console.error(`No tests ran of ${missing}`);
  totals.tests += found.tests + (isBroken ? 1 : 0);
  totals.failures += found.failures + (isBroken ? 1 : 0);
  totals.skipped += found.skipped;
  suites.push(xml.slice(xml.indexOf(root) + root.length).replace(/<\/testsuites>\s*$/, ""));
}
