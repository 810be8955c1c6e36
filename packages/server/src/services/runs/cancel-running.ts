import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import { requestCancellation } from "../../store/runs/run-cancellations.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { findShownRun } from "./own-run-history.ts";

type CancelDeps = Pick<ServiceDeps, "store" | "registry" | "operations" | "now">;

/**
 * Cancels a running call: users their own, admins any. If another process runs the call, that
 * process cancels it within about a second.
 */
export async function cancelRun(
  { store, registry, operations, now }: CancelDeps,
  caller: Caller,
  runId: string,
): Promise<void> {
  const { db, signals } = store;
  const run = await findShownRun({ store, registry }, caller, runId);
  if (run.userId !== caller.userId && caller.role !== "admin") {
    throw new HubError("forbidden", "Only its caller or an admin can stop a call.");
  }
  if (run.status !== "running") {
    throw new HubError("conflict", `The call has already ended (${run.status}).`);
  }
  const who = run.userId === caller.userId ? "its caller" : "an admin";
  const reason = `The call was stopped by ${who}.`;
  if (operations.running.cancel(run.id, reason)) return;
  await requestCancellation(db, { runId: run.id, reason }, now());
  await signals.send("cancel");
}
