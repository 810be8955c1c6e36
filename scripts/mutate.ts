/**
 * Puts small faults into folders, one at a time, and prints those that no test detects:
 * `bun scripts/mutate.ts FOLDER … [--seed N] [--count N] [--tests GLOB …] [--at FILE:LINE …] [--results FILE]`.
 * It works in a copy of the tree and never writes to the checkout. A fault that the type checker finds is not
 * counted. A test run that exceeds its time limit counts as a detection. `--at` tries every fault of the
 * given lines instead of a random choice. `--results` keeps each outcome in a file: a run that was stopped goes on where
 * it was, as long as the commit and what is not committed are the same.
 */
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { copyTree } from "./mutate/copy-tree.ts";
import { type Fault, findFaults } from "./mutate/find-faults.ts";
import { findBrokenFiles, isTypeSafe, keepTypeSafe } from "./mutate/keep-type-safe.ts";
import { findTests } from "./mutate/pick-tests.ts";
import { chooseFaults } from "./mutate/random-order.ts";
import { describeFault, printRates, type Result } from "./mutate/report.ts";
import { openResults } from "./mutate/results-file.ts";
import { runTests } from "./mutate/run-tests.ts";

const usage =
  "bun scripts/mutate.ts FOLDER … [--seed N] [--count N] [--tests GLOB …] [--at FILE:LINE …] [--results FILE]";
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "30" },
    tests: { type: "string", multiple: true, default: [] },
    at: { type: "string", multiple: true, default: [] },
    results: { type: "string" },
  },
});
if (positionals.length === 0) stop(usage);

// The tests end with this program.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

using tree = await copyTree();
// With existing type errors, every undetected fault would seem to fail the type check.
const broken = [...findBrokenFiles(tree.root)];
if (broken.length > 0) {
  tree[Symbol.dispose]();
  stop(`These files have type errors without a fault: ${broken}`);
}
const tests = await findTests(tree.root, values.tests);
const known = openResults(values.results ?? null, readCommit());
/** Tests that pass without a fault. */
const checked = new Set<string>();
const seed = readNumber(values.seed);
const wanted = values.at.length > 0 ? Number.POSITIVE_INFINITY : readNumber(values.count);
for (const folder of positionals) await tryFolder(relative(tree.checkout, folder));

/** Tries up to `--count` faults of a folder, and prints the rate of detected faults. */
async function tryFolder(folder: string): Promise<void> {
  const all = await findFaults(tree.root, folder);
  console.log(`${folder}: ${all.length} possible faults, seed ${seed}`);
  const candidates = values.at.length > 0 ? all.filter(isNamed) : chooseFaults(all, seed);
  const results: Result[] = [];
  for (const fault of keepTypeSafe(tree.root, candidates, wanted)) {
    const before = known.find(fault);
    if (before !== undefined) {
      if (before !== null) results.push(before);
      continue;
    }
    const stages = tests.of(fault.file);
    const failing = await checkTests(stages.flat());
    // A failing test would seem to detect every fault.
    if (failing !== null) return console.log(`this test fails without a fault: ${failing}`);
    const result = { fault, detectedBy: await runTests(tree, fault, stages) };
    // The type checker may detect the fault in another file.
    if (result.detectedBy === null && !isTypeSafe(tree.root, fault)) {
      known.add(fault, null);
      continue;
    }
    known.add(fault, result);
    results.push(result);
    console.log(describeFault(result));
  }
  printRates(folder, results);
}

/** Runs the new tests without a fault. Returns the test that failed. */
async function checkTests(files: readonly string[]): Promise<string | null> {
  const unchecked = files.filter((file) => !checked.has(file));
  const failing = unchecked.length === 0 ? null : await runTests(tree, null, [unchecked]);
  for (const file of unchecked) checked.add(file);
  return failing;
}

/** The commit, with a hash of what was changed since. */
function readCommit(): string {
  const git = (...args: string[]) =>
    Bun.spawnSync(["git", ...args], { cwd: tree.checkout })
      .stdout.toString()
      .trim();
  const changes = git("diff", "HEAD");
  return changes === ""
    ? git("rev-parse", "HEAD")
    : `${git("rev-parse", "HEAD")}+${Bun.hash(changes)}`;
}

function isNamed({ file, line }: Fault): boolean {
  return values.at.some((location) => `${file}:${line}`.endsWith(location));
}

function readNumber(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : stop(`"${text}" is not an integer.\n${usage}`);
}

function stop(message: string): never {
  console.error(message);
  process.exit(2);
}
