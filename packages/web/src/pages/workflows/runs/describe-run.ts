import type { WorkflowRun } from "@hub/contract/workflow-run.ts";
import { formatExact, formatNumber } from "../../../ui/text/format.ts";

/** Why a run failed or waits, in one line. Empty if there is nothing to say. */
export function describeReason(run: WorkflowRun): string {
  const { error, state, waiting_for: waiting, scheduled_at: scheduledAt } = run;
  if (error !== null) {
    return error.node_id === null ? error.message : `${error.node_id}: ${error.message}`;
  }
  if (state === "dropped") return describeDropped(run.dropped_runs ?? 1);
  if (state === "queued" && scheduledAt !== null) return `Starts ${formatExact(scheduledAt)}`;
  if (state === "queued") return "Waits until it may start";
  if (state === "waiting") return describeWait(waiting);
  if (state === "unknown")
    return "It does not know what some steps would return. Pin their outputs.";
  return "";
}

function describeDropped(runs: number): string {
  if (runs === 1) return "Refused by the queue policy";
  return `${formatNumber(runs)} runs in a minute, refused by the queue policy`;
}

function describeWait(waiting: unknown): string {
  const { kind, node_id: node, node_ids: nodes, message } = Object(waiting);
  const names = typeof node === "string" ? [node] : Array.isArray(nodes) ? nodes : [];
  const at = names.length === 0 ? "" : `${names.slice(0, 5).join(", ")}: `;
  switch (kind) {
    case "time":
      return `${at}waits for a time`;
    case "approval":
      return `${at}waits for an approval`;
    case "run":
      return `${at}waits for another run`;
    case "person":
      return `${at}${typeof message === "string" ? message : "waits for a person"}`;
    default:
      return "";
  }
}
