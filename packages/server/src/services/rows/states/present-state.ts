import type { RowActivity, RowState, RowStateName } from "@hub/contract/row-state.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { cutLine } from "../../../lib/text/cut-line.ts";
import type { RowActivityRecord } from "../../../store/runs/row-activity.ts";
import { isFailing } from "./find-row-state.ts";
import type { Known } from "./known-row.ts";

const reasonCharsMax = 300;

type Named = { id: string; connectorKey: string };

/**
 * A state for admins. `message` is the recorded one of the run that the row's last outcome is from; null if there is
 * none any more.
 */
export function toAdminState(
  name: RowStateName,
  row: Named,
  known: Known,
  message: string | null,
): RowState {
  const { facts, lost, activity } = known;
  const since = findSince(name, known);
  const reason = findReason(name, row, known, message === null ? null : toAdminMessage(message));
  return {
    name,
    since: since === null ? null : toTimeText(since),
    reason: reason === null ? null : cutLine(reason, reasonCharsMax),
    ...(facts.waiting > 0 && { waiting: facts.waiting }),
    fix: findFix(name, row, known, lost !== null && activity?.outcome?.kind !== "refused"),
  };
}

/** Messages of calls are for clients, which are told to ask an admin. */
function toAdminMessage(message: string): string {
  const advice = / Ask an admin to [^.]{1,100}\.$/.exec(message);
  return advice === null ? message : message.slice(0, advice.index);
}

/** A state for other users: without figures of the calls of others, and without texts from outside. */
export function toUserState(name: RowStateName): RowState {
  return { name, since: null, reason: userReasons[name], fix: null };
}

const userReasons: Record<RowStateName, string | null> = {
  disabled: "An admin has disabled it.",
  needs_setup: "An admin has not finished its setup.",
  needs_review: "An admin has not reviewed all of its operations.",
  unreachable: "Its outside system could not be reached.",
  refused: "Its outside system refused the hub's credentials.",
  failing: "Many of its calls fail.",
  unused: "It has not been seen to work yet.",
  ready: null,
};

function findSince(name: RowStateName, { lost, activity }: Known): number | null {
  const outcome = activity?.outcome ?? null;
  if (name === "unreachable") return outcome?.since ?? null;
  if (name === "refused") return outcome?.kind === "refused" ? outcome.since : (lost?.at ?? null);
  if (name === "failing") return outcome?.kind === "failed" ? outcome.since : null;
  return name === "ready" && outcome?.kind === "worked" ? outcome.since : null;
}

function findReason(
  name: RowStateName,
  { connectorKey }: Named,
  { facts, isDisabled, lost, activity }: Known,
  message: string | null,
): string | null {
  switch (name) {
    case "disabled":
      return isDisabled ? "Clients cannot call it." : `The connector ${connectorKey} is disabled.`;
    case "needs_setup":
      if (facts.connectorName === null) return `The connector ${connectorKey} is not installed.`;
      return facts.missing.length > 0
        ? `It needs ${facts.missing.join(", ")}.`
        : "It is not connected to an account yet.";
    case "needs_review":
      return facts.waiting === 1
        ? "1 operation waits for a review."
        : `${facts.waiting} operations wait for a review.`;
    case "unreachable":
      return message ?? "The outside system could not be reached.";
    case "refused":
      if (activity?.outcome?.kind !== "refused" && lost !== null) return lost.reason;
      return message ?? "The outside system refused the credentials.";
    case "failing":
      if (activity === null || !isFailing(activity)) {
        return message ?? "The last health check failed.";
      }
      return `${activity.recentErrors} of ${activity.recentCalls} calls in the last hour failed.`;
    case "unused":
      return "No call or health check has worked with these settings yet.";
    case "ready":
      return null;
  }
}

function findFix(
  name: RowStateName,
  { id, connectorKey }: Named,
  { facts, isDisabled }: Known,
  isLost: boolean,
): RowState["fix"] {
  const path = `/manager/connectors/${encodeURIComponent(connectorKey)}/${id}`;
  switch (name) {
    case "disabled":
      return isDisabled
        ? { text: "Enable it", path }
        : { text: "Enable the connector", path: "/admin/connectors" };
    case "needs_setup":
      if (facts.connectorName === null) {
        return { text: "Install the connector", path: "/manager/add" };
      }
      return {
        text: facts.missing.length > 0 ? "Set it up" : "Connect it",
        path: `${path}?tab=settings`,
      };
    case "needs_review":
      return { text: "Review its operations", path: `${path}?tab=operations` };
    case "unreachable":
      return { text: "Check its address", path: `${path}?tab=settings` };
    case "refused":
      return {
        text: isLost ? "Connect it again" : "Check its credentials",
        path: `${path}?tab=settings`,
      };
    case "failing":
      return { text: "See what failed", path: `${path}?tab=history` };
    case "unused":
    case "ready":
      return null;
  }
}

/** The calls of the last day, for admins. */
export function toActivity(activity: RowActivityRecord | null): RowActivity {
  const { calls = 0, errors = 0, p95Ms = null, lastCallAt = null } = activity ?? {};
  return {
    calls,
    errors,
    p95_ms: p95Ms,
    last_call_at: lastCallAt === null ? null : toTimeText(lastCallAt),
  };
}
