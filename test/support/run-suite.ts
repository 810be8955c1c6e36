/**
 * Runs the suite, for `npm test`: without the files that only `.ci/nightly` runs, unless `HUB_TEST_AMOUNT=all`. Arguments are
 * those of `bun test`, which may name files.
 */

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import process from "node:process";
import { Glob } from "bun";
import { isWholeAmount } from "../../packages/server/src/lib/testing/amount.ts";
import { endWithRunner } from "./end-with-runner.ts";
import { nightlyFiles } from "./nightly-files.ts";

const given = process.argv.slice(2);
const namesFiles = given.some((argument) => argument.endsWith(".test.ts"));
const isWhole = isWholeAmount || namesFiles;
// They have an installation and a run of their own: test/oracles/run.
const checkers = "test/oracles/";
const leftOut = isWhole ? [] : Object.keys(nightlyFiles).filter((one) => !one.startsWith(checkers));
const ignored = [`${checkers}**`, ...leftOut].map((path) => `--path-ignore-patterns=${path}`);
// The files that took longest in the last run start first, so that none of them is left for one worker at the end.
const times = "node_modules/.cache/hub/suite-times.json";
mkdirSync(dirname(times), { recursive: true });
const order = [`--timings=${times}`, "--update-timings"];
// The limit is for tests that hang: no slow machine meets it.
const options = ["--parallel=3", "--no-isolate", "--timeout=180000", ...order, ...ignored];
const child = Bun.spawn([process.execPath, "test", ...options, ...given], {
  stdio: ["inherit", "inherit", "inherit"],
});
endWithRunner(child);
process.exitCode = await child.exited;
if (!isWhole) {
  const left = `${leftOut.length} files and ${await countTests()} tests of others`;
  console.log(`\n${left} run in .ci/nightly only.`);
}

/** How many tests, or tables of tests, the other files leave to `.ci/nightly`. */
async function countTests(): Promise<number> {
  let count = 0;
  for await (const path of new Glob("{packages,plugins,test}/**/*.test.{ts,tsx}").scan(".")) {
    if (path.includes("node_modules/") || path.startsWith(checkers)) continue;
    const text = await Bun.file(path).text();
    count += [...text.matchAll(/\bnightly(?:Test|Describe)(?:\.each)?\(/g)].length;
  }
  return count;
}
