import { setTimeout as wait } from "node:timers/promises";
import type { TrialDatabase } from "./database.ts";

const decideMs = 200;

/**
 * Approves each call that people are asked about, as the service does: beside the servers, so that it works while they are
 * down. Resolves when it is over.
 */
export async function decideCalls(database: TrialDatabase, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    await decideOnce(database, Date.now()).catch(() => {});
    await wait(decideMs);
  }
}

async function decideOnce({ query }: TrialDatabase, at: number): Promise<void> {
  await query(
    `update pending_calls set state = 'approved', approved_until = ${at + 900_000}, decided_at = ${at},
       decided_by = 'trial', decided_by_email = 'trial@example.com', decided_via = 'session'
     where state = 'open' and expires_at > ${at}`,
  );
  await query(
    `update workflow_runs set due_at = ${at} where state = 'waiting' and due_at > ${at}
       and id in (select substr(principal, 10) from pending_calls where state = 'approved')`,
  );
}
