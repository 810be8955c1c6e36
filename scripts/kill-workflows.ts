/**
 * Kills the server at random times while webhooks start runs: `bun scripts/kill-workflows.ts [seed] [rounds]`.
 * The exit code is 1 if an accepted delivery has no run, or a committed step ran again.
 */
import { killWorkflows } from "../test/support/kill-workflows.ts";

const seed = Number(process.argv[2] ?? Date.now() % 2 ** 31);
const count = Number(process.argv[3] ?? 100);
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(count)) {
  console.error("Enter integers: bun scripts/kill-workflows.ts [seed] [rounds]");
  process.exit(2);
}
console.log(`seed ${seed}, ${count} rounds`);
const startedAt = performance.now();
const report = await killWorkflows({ seed, count }, (round, accepted) => {
  if ((round + 1) % 10 === 0) console.log(`${round + 1} kills, ${accepted} deliveries accepted`);
});
const seconds = Math.round((performance.now() - startedAt) / 1000);
console.log(JSON.stringify({ seed, ...report, seconds }, null, 2));
