/**
 * Puts small faults into a folder, one at a time, and prints those that no test notices:
 * `bun scripts/mutate.ts FOLDER [--seed N] [--count N] [--tests GLOB …] [--at FILE:LINE …]`.
 * It works in a copy of the tree and never writes to the checkout. A fault that the type checker
 * refuses is not counted, since it cannot reach the tests. A test run that outlasts its limit has
 * noticed. `--at` tries every fault of the named lines instead of a random choice.
 */
import { relative } from "node:path";
import { parseArgs } from "node:util";
import { copyTree } from "./mutate/copy-tree.ts";
import { type Fault, findFaults } from "./mutate/find-faults.ts";
import { keepTypeSafe } from "./mutate/keep-type-safe.ts";
import { findTests } from "./mutate/pick-tests.ts";
import { chooseFaults } from "./mutate/random-order.ts";
import { describeFault, printRates, type Result } from "./mutate/report.ts";
import { runTests } from "./mutate/run-tests.ts";

const usage =
  "bun scripts/mutate.ts FOLDER [--seed N] [--count N] [--tests GLOB …] [--at FILE:LINE …]";
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "30" },
    tests: { type: "string", multiple: true, default: [] },
    at: { type: "string", multiple: true, default: [] },
  },
});
const [folder] = positionals;
if (folder === undefined) stop(usage);

using tree = await copyTree();
const target = relative(tree.checkout, folder);
const all = await findFaults(tree.root, target);
if (all.length === 0) stop(`There is nothing to change in ${folder}.`);
const wanted = values.at.length > 0 ? Number.POSITIVE_INFINITY : readNumber(values.count);
const candidates =
  values.at.length > 0 ? all.filter(isNamed) : chooseFaults(all, readNumber(values.seed));
const tests = await findTests(tree.root, values.tests);
console.log(`${all.length} faults known in ${target}, seed ${values.seed}`);

const results: Result[] = [];
for await (const fault of keepTypeSafe(tree.root, candidates, wanted)) {
  const result = { fault, noticedBy: await runTests(tree, fault, tests.of(fault.file)) };
  results.push(result);
  console.log(describeFault(result));
}
printRates(target, results);

function isNamed({ file, line }: Fault): boolean {
  return values.at.some((place) => `${file}:${line}`.endsWith(place));
}

function readNumber(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) : stop(`"${text}" is no whole number.\n${usage}`);
}

function stop(message: string): never {
  console.error(message);
  process.exit(2);
}
