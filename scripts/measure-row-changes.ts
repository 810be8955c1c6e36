/**
 * Prints the processor time of `disable` and `set` of one row with 10, 1,000 and 10,000 rows. It must not
 * grow with the rows. `bun scripts/measure-row-changes.ts`
 */

import { commandLineActor as actor } from "../packages/server/src/identity/local-admin.ts";
import { disableRow } from "../packages/server/src/services/rows/manage-rows.ts";
import { setRow } from "../packages/server/src/services/rows/set-row.ts";
import { openTestServices } from "../packages/server/src/services/testing/open-test-services.ts";
import { transaction } from "../packages/server/src/store/database/database.ts";
import { insertRow } from "../packages/server/src/store/rows/rows-table.ts";

const rounds = 30;

for (const rows of [10, 1_000, 10_000]) {
  const { deps, close } = await openTestServices();
  const ids = Array.from({ length: rows }, () => crypto.randomUUID());
  await transaction(deps.store.db, async (trx) => {
    for (const [index, id] of ids.entries()) {
      const names = { label: `Row ${index}`, description: "", tags: ["team"] };
      const values = [{ key: "base_url", value: "https://tracker.example", sealed: null }];
      await insertRow(trx, {
        id,
        connectorKey: "tracker",
        ...names,
        values,
        createdAt: Date.now(),
      });
    }
  });
  const id = ids[rows / 2] ?? "";
  const disableMs = await measure(() => disableRow(deps, actor, id));
  const setMs = await measure((round) => setRow(deps, actor, id, { description: `${round}` }));
  console.log(
    `${rows} rows: disable ${disableMs.toFixed(2)} ms, set ${setMs.toFixed(2)} ms of processor time`,
  );
  await close();
}

/** Processor time of this process for one change, in ms: the median of the rounds. */
async function measure(change: (round: number) => Promise<unknown>): Promise<number> {
  const tookMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) await change(round);
  for (let round = 0; round < rounds; round += 1) {
    const before = process.cpuUsage();
    await change(round);
    const { user, system } = process.cpuUsage(before);
    tookMs.push((user + system) / 1_000);
  }
  return tookMs.toSorted((one, other) => one - other)[rounds / 2] ?? 0;
}
