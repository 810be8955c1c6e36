/**
 * Kills servers at random times while webhooks and timers start runs: `bun scripts/kill-workflows.ts [seed] [kills]`
 * with one server on SQLite, and with `--postgres` three servers on one PostgreSQL, which are also paused, restarted
 * and cut off, and whose database fails. The exit code is 1 if a guarantee of workflow runs does not hold.
 */
import type { Fault } from "../test/support/workflow-trial/faults.ts";
import { tryWorkflows } from "../test/support/workflow-trial/trial.ts";

const isPostgres = process.argv.includes("--postgres");
const [seed = Date.now() % 2 ** 31, kills = 100] = process.argv
  .slice(2)
  .filter((arg) => arg !== "--postgres")
  .map(Number);
if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(kills)) {
  console.error("Enter integers: bun scripts/kill-workflows.ts [--postgres] [seed] [kills]");
  process.exit(2);
}

/** After some kills, something else happens. */
const others: Fault[] = isPostgres
  ? ["cut", "crash", "drain", "kill all", "cut", "crash", "pause"]
  : ["drain"];
const killsBetween = 5;
const list = Array.from({ length: kills }, (_, at): Fault[] =>
  (at + 1) % killsBetween === 0
    ? ["kill", others[((at + 1) / killsBetween - 1) % others.length] ?? "drain"]
    : ["kill"],
).flat();
console.log(`seed ${seed}, ${list.length} faults`);
const startedAt = performance.now();
const seconds = () => Math.round((performance.now() - startedAt) / 1000);
const report = await tryWorkflows({
  seed,
  faults: list,
  isPostgres,
  onFault(fault, count, accepted) {
    if (fault !== "kill" || count % 10 === 0) {
      console.log(
        `${seconds()} s: ${count} faults, last ${fault}, ${accepted} deliveries accepted`,
      );
    }
  },
});
console.log(JSON.stringify({ ...report, seconds: seconds() }, null, 2));
