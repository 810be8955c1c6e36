/**
 * Checks with many random secrets that none leaves the hub in plaintext:
 * `bun scripts/fuzz-leaks.ts [calls|masks] [seed] [secrets]`. `calls` uses complete calls with a real store,
 * some of them through MCP; `masks` uses only the mask, which is faster. Prints the number of masked secrets
 * and the outcomes of the calls. A failing case is printed (one of `calls` is shrunk), and sets the exit code to 1.
 */
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { leakCases, secretsPerCall } from "../packages/server/src/mcp/testing/leak-cases.ts";
import { openLeakHub } from "../packages/server/src/mcp/testing/leak-hub.ts";
import { checkLeaks } from "../packages/server/src/mcp/testing/leak-properties.ts";
import {
  checkMasking,
  maskingCases,
} from "../packages/server/src/secrets/testing/masking-properties.ts";

/** Each store is used for this many calls, so that it stays small. */
const callsPerHub = 2_000;

/** Cases of `masks` in which the search for one text may reach its limit, of all cases. */
const leftOutShareMax = 1e-4;

const [kind = "calls", seedText, countText] = process.argv.slice(2);
if (kind !== "calls" && kind !== "masks") stop(`"${kind}" is invalid. Use calls or masks.`);
const seed = readNumber(seedText, Date.now() % 2 ** 31, "seed");
const wanted = readNumber(countText, 50_000, "secrets");

const startedAt = performance.now();
const outcomes = new Map<string, number>();
const maskedCount = kind === "masks" ? await tryMasks() : await tryCalls();
const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
console.log(`${kind}, seed ${seed}: ${maskedCount} of ${wanted} secrets masked in ${seconds} s`);
for (const [outcome, count] of [...outcomes].sort()) console.log(`  ${count} ${outcome}`);

async function tryMasks(): Promise<number> {
  let secrets = 0;
  let cases = 0;
  let leftOut = 0;
  for (let round = 0; secrets < wanted && process.exitCode === undefined; round += 1) {
    let tried = 0;
    const property = fc.property(maskingCases, (given) => {
      if (checkMasking(given).isLeftOut) leftOut += 1;
      tried += given.secrets.length;
    });
    // Shrinking long secrets could take hours.
    const limits = { seed: seed + round, numRuns: callsPerHub, endOnFailure: true };
    const isPassed = report(fc.check(property, limits));
    if (isPassed) secrets += tried;
    cases += callsPerHub;
    if (round % 20 === 19) console.log(`  ${secrets} so far`);
    // What is weakly referenced is kept until the turn of the event loop ends.
    await setImmediate();
  }
  console.log(`  ${leftOut} of ${cases} results had a text that was left out`);
  if (leftOut > Math.max(1, cases * leftOutShareMax)) process.exitCode = 1;
  return secrets;
}

async function tryCalls(): Promise<number> {
  let calls = 0;
  const callsMax = Math.ceil(wanted / secretsPerCall);
  for (let round = 0; calls < callsMax && process.exitCode === undefined; round += 1) {
    const hub = await openLeakHub();
    const property = fc.asyncProperty(leakCases(hub), async (given) => {
      const outcome = `${await checkLeaks(hub, given)} (${given.door})`;
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    });
    const numRuns = Math.min(callsPerHub, callsMax - calls);
    const isPassed = report(await fc.check(property, { seed: seed + round, numRuns }));
    if (isPassed) calls += numRuns;
    await hub.close();
  }
  return calls * secretsPerCall;
}

function report<Args>(run: fc.RunDetails<Args>): boolean {
  if (!run.failed) return true;
  console.log(`A case fails with seed ${run.seed}, path ${run.counterexamplePath}:`);
  console.log(shorten(fc.stringify(run.counterexample)));
  console.log(shorten(String(run.errorInstance)));
  process.exitCode = 1;
  return false;
}

/** Shortens secrets, which can have 4,000 characters. */
function shorten(text: string): string {
  return text.replace(/[^\s",]{120,}/g, (run) => `${run.slice(0, 60)}…(${run.length})`);
}

function readNumber(text: string | undefined, otherwise: number, name: string): number {
  if (text === undefined) return otherwise;
  return /^\d{1,10}$/.test(text) ? Number(text) : stop(`${name}: enter an integer, not "${text}"`);
}

function stop(message: string): never {
  console.error(message);
  process.exit(2);
}
