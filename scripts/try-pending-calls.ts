/**
 * Compares calls that wait for a person with a small model, in random steps of two servers that die:
 * `bun scripts/try-pending-calls.ts [--postgres] [steps] [seed]`. The default is 100,000 steps on SQLite. It throws at the
 * first difference.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type TrialReport,
  tryPendingCalls,
} from "../packages/server/src/operations/pending/testing/pending-trial.ts";
import { openStore } from "../packages/server/src/store/open-store.ts";
import { openPostgresStore } from "../packages/server/src/store/postgres/open-postgres.ts";
import type { Store } from "../packages/server/src/store/store.ts";
import { startPostgres } from "../test/support/postgres-server.ts";

const isPostgres = process.argv.includes("--postgres");
const [steps = 100_000, seed = Date.now() % 2 ** 31] = process.argv
  .slice(2)
  .filter((arg) => arg !== "--postgres")
  .map(Number);
/** A trial of its own for so many steps, so that its database stays small. */
const stepsOfTrial = 5_000;

await using owned = new AsyncDisposableStack();
const server = isPostgres ? owned.use(await startPostgres()) : null;
const total: TrialReport = { runs: 0, counts: {} };
for (let done = 0; done < steps; done += stepsOfTrial) {
  await using trial = new AsyncDisposableStack();
  const open = await createOpen(trial);
  const stores = [await open(), await open()] as const;
  for (const store of stores) trial.defer(() => store.close());
  const span = { steps: Math.min(stepsOfTrial, steps - done), seed: seed + done };
  const { runs, counts } = await tryPendingCalls({ stores, ...span });
  total.runs += runs;
  for (const [what, times] of Object.entries(counts)) {
    total.counts[what] = (total.counts[what] ?? 0) + times;
  }
  console.log(`${done + span.steps} steps, ${total.runs} runs`);
}
console.log(`seed ${seed}, ${isPostgres ? "PostgreSQL" : "SQLite"}`, total.counts);

async function createOpen(trial: AsyncDisposableStack): Promise<() => Promise<Store>> {
  if (server !== null) {
    const url = await server.createDatabase();
    return () => openPostgresStore({ url });
  }
  const dataDir = await mkdtemp(join(tmpdir(), "hub-pending-"));
  trial.defer(() => rm(dataDir, { recursive: true }));
  return () => openStore({ dataDir });
}
