import type { WorkflowRun } from "@hub/contract/workflow-run.ts";
import { formatExact } from "../../ui/format.ts";

/** Why a run failed or waits, in one line. Empty if there is nothing to say. */
export function describeReason(run: WorkflowRun): string {
  const { error, state, waiting_for: waiting, scheduled_at: scheduledAt } = run;
  if (error !== null) {
    return error.node_id === null ? error.message : `${error.node_id}: ${error.message}`;
  }
  if (state === "dropped") return "Refused by the queue policy";
  if (state === "queued" && scheduledAt !== null) return `Starts ${formatExact(scheduledAt)}`;
  if (state === "waiting") return describeWait(waiting);
  return "";
}

function describeWait(waiting: unknown): string {
  const { kind, until, reason, message, node_id: node } = Object(waiting);
  const at = typeof node === "string" ? `${node}: ` : "";
  switch (kind) {
    case "time":
      return typeof until === "string"
        ? `${at}waits until ${formatExact(until)}`
        : `${at}waits for a time`;
    case "run":
      return `${at}waits for another run`;
    case "person": {
      const text = typeof message === "string" ? message : reason;
      return `${at}${typeof text === "string" ? text : "waits for a person"}`;
    }
    default:
      return "";
  }
}
