/**
 * Kills the server at random times under load: `bun scripts/kill-under-load.ts [seed] [rounds]`. Prints the
 * outcomes of all calls. The exit code is 1 if a run differs from the outcome that its client got.
 */
import { killUnderLoad } from "../test/support/kill-under-load.ts";

const [seed, count] = [
  readNumber(process.argv[2], Date.now() % 2 ** 31, "seed"),
  readNumber(process.argv[3], 100, "rounds"),
];
console.log(`seed ${seed}, ${count} rounds`);
const startedAt = performance.now();
const report = await killUnderLoad({ seed, count }, (round, { kills, replied, interrupted }) => {
  if ((round + 1) % 10 === 0) {
    console.log(
      `${kills} kills, ${replied} replies recorded correctly, ${interrupted} calls interrupted`,
    );
  }
});
const seconds = Math.round((performance.now() - startedAt) / 1000);
console.log(JSON.stringify({ seed, ...report, seconds }, null, 2));

function readNumber(text: string | undefined, otherwise: number, name: string): number {
  if (text === undefined) return otherwise;
  if (/^\d{1,10}$/.test(text)) return Number(text);
  console.error(`${name}: enter an integer, not "${text}"`);
  process.exit(2);
}
