/**
 * Tries the law of masking on many random cases: `bun scripts/fuzz-masks.ts [seed] [count]`.
 * Prints how many held; a case that does not is shrunk, printed, and makes the exit code 1.
 */
import fc from "fast-check";
import { checkMasking, maskingCases } from "../packages/server/src/secrets/masking-law.ts";

const seed = readNumber(process.argv[2], Date.now() % 2 ** 31, "seed");
const count = readNumber(process.argv[3], 20_000, "count");

const startedAt = performance.now();
const run = fc.check(fc.property(maskingCases, checkMasking), { seed, numRuns: count });
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(`seed ${seed}: ${run.numRuns} of ${count} cases tried in ${seconds} s`);
if (run.failed) {
  console.log(fc.defaultReportMessage(run));
  process.exitCode = 1;
}

function readNumber(text: string | undefined, otherwise: number, name: string): number {
  if (text === undefined) return otherwise;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  console.error(`${name}: give a whole number, not "${text}"`);
  process.exit(2);
}
