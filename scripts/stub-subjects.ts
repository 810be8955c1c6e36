/**
 * Looks for tests that pass without their subject: `bun scripts/stub-subjects.ts [TEST …] [--seed N] [--count N]`.
 * Of each test file it replaces the modules under test by stubs, in which every exported function returns undefined and
 * every exported class is empty, runs the file, and prints `fails` or `PASSES`. Without names of tests it chooses files by
 * lot, and `--seed` gives another choice. It works in a copy of the tree and never writes to the checkout. The exit code is 1
 * if a test passes without its subject.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { copyTree } from "./mutate/copy-tree.ts";
import { readAllImports } from "./mutate/imports.ts";
import { shuffle } from "./mutate/random-order.ts";
import { runFiles } from "./mutate/run-tests.ts";
import { makeStub } from "./stub-subjects/make-stub.ts";
import { findSubjects } from "./stub-subjects/subjects.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "30" },
  },
});

// The tests end with this program.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

using tree = await copyTree();
const subjects = findSubjects(await readAllImports(tree.root));
const chosen =
  positionals.length > 0 ? positionals : shuffle([...subjects.keys()].sort(), Number(values.seed));
const wanted = positionals.length > 0 ? positionals.length : Number(values.count);
const passing: string[] = [];
let tried = 0;
for (const test of chosen) {
  if (tried === wanted) break;
  const { verdict, by } = await tryTest(test, subjects.get(test) ?? []);
  console.log(`${verdict.padEnd(18)} ${test}${by === null ? "" : `: ${by}`}`);
  if (verdict === "PASSES") passing.push(test);
  if (verdict === "PASSES" || verdict === "fails") tried += 1;
}
console.log(`${tried} test files were tried; ${passing.length} pass without their subject.`);
process.exitCode = passing.length > 0 ? 1 : 0;

type Verdict = {
  verdict: "fails" | "PASSES" | "no subject" | "runs no test" | "fails unstubbed";
  /** What failed. */
  by: string | null;
};

async function tryTest(test: string, modules: readonly string[]): Promise<Verdict> {
  const stubs = modules.flatMap((module) => {
    const path = join(tree.root, module);
    const text = readFileSync(path, "utf8");
    const stub = makeStub(module, text);
    // A module of constants has nothing to replace.
    return stub === text ? [] : [{ path, text, stub }];
  });
  if (stubs.length === 0) return { verdict: "no subject", by: null };
  const before = await runFiles(tree, [test]);
  if (before.failed !== null) return { verdict: "fails unstubbed", by: before.failed };
  // Such as tests of another system.
  if (before.passed === 0) return { verdict: "runs no test", by: null };
  for (const { path, stub } of stubs) writeFileSync(path, stub);
  const { failed } = await runFiles(tree, [test]);
  for (const { path, text } of stubs) writeFileSync(path, text);
  return { verdict: failed === null ? "PASSES" : "fails", by: failed };
}
