import type {
  PendingCall,
  PendingCallDetail,
  PendingCallState,
} from "@hub/contract/pending-call.ts";
import type { Subject } from "../subject.ts";

/** The row and the operation. */
export function readCallSubject(call: PendingCall): Subject {
  const { row_label: system, connector_key: connectorKey, operation_name: action } = call;
  return {
    system,
    kind: call.connector_name,
    connectorKey,
    icon: "connectors",
    action,
    description: null,
    isDestructive: call.destructive,
  };
}

/** Longer lines may be cut in the head on a phone. */
const firstCharsMax = 40;

/** The first line, for the head, and what follows, so that nothing is read twice. A long one is not cut in two. */
export function splitDescription(description: string): { first: string | null; rest: string } {
  const [line = "", ...lines] = description.trim().split("\n");
  if (line.length > firstCharsMax) return { first: null, rest: description };
  return { first: line === "" ? null : line, rest: lines.join("\n").trim() };
}

/** The decision of a person that led to the state, as a word. */
export function toDecisionWord(call: Pick<PendingCall, "state" | "decided_by">): string {
  if (call.decided_by === null) return "";
  return call.state === "denied" ? "denied" : "approved";
}

const after: Partial<Record<PendingCallState, string>> = {
  approved: "It runs when its client calls again.",
  running: "It is running.",
  done: "It has run.",
  unknown:
    "The hub stopped while it ran, or could not store its outcome: whether it took effect is not known. It does not run again by itself.",
};

/** What became of an approved call. */
export function describeAfter(
  call: Pick<PendingCallDetail, "state" | "decided_by" | "runs_by_itself" | "ended_reason">,
): string {
  const { state } = call;
  if (state === "approved" && call.runs_by_itself) return "It runs by itself.";
  if (state === "expired" && call.decided_by !== null) return "It was not used in time.";
  if (state === "changed") return `It is asked anew: ${call.ended_reason ?? "it"} has changed.`;
  if (state === "ended") return `It has ended: ${call.ended_reason ?? "it may not run any more"}.`;
  return after[state] ?? "";
}

/** Who may decide. */
export function describeDecider({ decider, user, deputy }: PendingCall): string {
  if (decider.by === "caller") {
    return user === "local-admin" ? "Any admin, in a browser" : `${user}, in a browser`;
  }
  const tags = `Other users with the tag ${decider.tags.join(" or ")}`;
  return deputy === null ? tags : `${tags}; ${deputy} as a deputy`;
}

/** The outcomes of earlier calls. */
export function describeOutcome({
  status,
  error_code: code,
}: PendingCallDetail["earlier"][number]): string {
  if (status === "denied") return code === "approval_required" ? "Was asked about" : "Refused";
  if (status === "error") return code === null ? "Failed" : `Failed: ${code}`;
  return { success: "Succeeded", running: "Running", cancelled: "Cancelled" }[status];
}

/** The client that calls, as it names itself. */
export function describeClient({ client, user_agent: agent, source }: PendingCallDetail): string {
  if (client !== null) return `${client.name} ${client.version}`;
  if (agent !== null) return agent;
  return { mcp: "", test: "The test panel", retry: "A retry", workflow: "A workflow" }[source];
}
