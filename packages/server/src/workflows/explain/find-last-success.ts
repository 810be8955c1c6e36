import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { Db } from "../../store/database/database.ts";
import { findRunAt } from "../../store/workflow-runs/workflow-runs-table.ts";
import {
  countRunsBefore,
  findLastSuccess as findAmong,
} from "../../store/workflow-runs/workflow-successes.ts";

/** The first look is short, since most nodes succeeded in one of the last runs. */
const portions = { first: 50, next: 2_000 };
/** A node that never succeeds must not cost a look at a million runs. */
const scannedMax = 100_000;

export type SuccessSearch = {
  runId: string | null;
  /** How many runs were looked at, with the one that was found. */
  searched: number;
};

/** The last live run before a run in which a node succeeded. It looks at the newest runs, in portions. */
export async function findLastSuccess(
  db: Db,
  { workflowId, nodeId, runId }: { workflowId: string; nodeId: string; runId: string },
): Promise<SuccessSearch> {
  let before = runId;
  let searched = 0;
  while (searched < scannedMax) {
    const count = searched === 0 ? portions.first : portions.next;
    const span = { workflowId, before, scannedMax: count };
    const found = await findAmong(db, { ...span, nodeId });
    const end = found === null ? await findRunAt(db, { workflowId, before }, count - 1) : null;
    if (end === null) {
      searched += await countRunsBefore(db, { ...span, oldest: found });
      return { runId: found, searched };
    }
    searched += count;
    before = end;
    await yieldToEventLoop();
  }
  return { runId: null, searched };
}
