import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import type { Operations } from "../../operations/operations.ts";
import type { Store } from "../../store/open-store.ts";
import { requestCancellation } from "../../store/run-cancellations.ts";
import { findShownRun } from "./run-history.ts";

type CancelDeps = { store: Pick<Store, "db">; operations: Pick<Operations, "cancel"> };

/**
 * Stops a running call: one's own, or as an admin anybody's. Where another process runs it, that one
 * obeys within seconds.
 */
export async function cancelRun(
  { store: { db }, operations }: CancelDeps,
  caller: Caller,
  runId: string,
): Promise<void> {
  const run = await findShownRun(db, caller, runId);
  if (run.userId !== caller.userId && caller.role !== "admin") {
    throw new HubError("forbidden", "Only its caller or an admin can stop a call.");
  }
  if (run.status !== "running") {
    throw new HubError("conflict", `The run is over: ${run.status}.`);
  }
  const who = run.userId === caller.userId ? "its caller" : "an admin";
  const reason = `The call was stopped by ${who}.`;
  if (!operations.cancel(run.id, reason)) await requestCancellation(db, { runId: run.id, reason });
}
