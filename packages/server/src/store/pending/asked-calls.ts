import { sql } from "kysely";
import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { PendingState } from "../database/tables/pending-tables.ts";
import type { OriginStep, PendingOrigin } from "./pending-call-record.ts";
import { workflowPrefix } from "./workflow-principal.ts";

/** A call of a step about which people were asked. */
export type AskedCall = {
  id: string;
  state: PendingState;
  step: OriginStep;
  expiresAt: number;
  decidedByEmail: string | null;
  comment: string | null;
};

/** The newest: of each operation, a few wait at once, and a step whose call is not among them would ask again and again. */
const askedMax = 10_000;

/**
 * The calls of a workflow's run about which people were asked, oldest first: those that wait, run or were decided, and not
 * those that expired, changed or ended.
 */
export async function listAskedCalls(
  db: Db,
  { ownerId, runId }: { ownerId: string; runId: string },
): Promise<AskedCall[]> {
  const found = await toKysely(db)
    .selectFrom("pending_calls")
    .select(["id", "state", "origin", "expires_at", "decided_by_email", "comment"])
    .where("user_id", "=", ownerId)
    .where("principal", "=", `${workflowPrefix}${runId}`)
    // A literal, because SQLite uses no partial index for parameters.
    .where(sql<boolean>`state in ('open', 'approved', 'running', 'done', 'denied', 'unknown')`)
    // Not the column itself: SQLite would read all calls of the user in this order.
    .orderBy(sql`created_at + 0`, "desc")
    .orderBy("id", "desc")
    .limit(askedMax)
    .execute();
  return found.reverse().flatMap((row) => {
    const { step }: PendingOrigin = JSON.parse(row.origin);
    if (step === undefined) return [];
    const { expires_at: expiresAt, decided_by_email: decidedByEmail } = row;
    return [
      { id: row.id, state: row.state, step, expiresAt, decidedByEmail, comment: row.comment },
    ];
  });
}
