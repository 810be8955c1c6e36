import type { Store } from "../store.ts";
import { newFinishedRun } from "../test-data.ts";
import { runSql } from "./run-sql.ts";
import type { TestStores } from "./test-stores.ts";

export async function insertFinishedRun(
  { runs }: Pick<Store, "runs">,
  given: Parameters<typeof newFinishedRun>[0],
) {
  const run = newFinishedRun(given);
  await runs.insertFinished(run);
  return run;
}

/** The id of a run that began then. */
export function toIdAt(epochMs: number): string {
  const hex = epochMs.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

/** Adds many runs of a row in one statement, one per millisecond. */
export async function fillRuns(
  db: TestStores["store"]["db"],
  connectorId: string,
  count: number,
  at = 0,
) {
  const { userId } = newFinishedRun({ connectorId });
  // The ids differ in their last twelve digits.
  const idStart = Bun.randomUUIDv7().slice(0, -12);
  await runSql(
    db,
    `insert into connector_runs
       (id, connector_id, operation_key, user_id, source, status, request_cut, latency_ms, instance_id, started_at, ended_at)
     with recursive numbers (n) as (select 0 union all select n + 1 from numbers where n + 1 < ${count})
     select cast(? as text) || substr(cast(1000000000000 + n as text), 2), cast(? as text), 'common', cast(? as text),
       'mcp', 'success', 0, 1, 'i', ${at} + n, ${at} + n
     from numbers`,
    idStart,
    connectorId,
    userId,
  );
}
