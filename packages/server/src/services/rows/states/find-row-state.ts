import type { RowStateName } from "@hub/contract/row-state.ts";
import type { RowActivityRecord } from "../../../store/runs/row-activity.ts";
import type { Known } from "./known-row.ts";

/** With fewer calls, the share of errors says little. */
const callsMin = 5;
/** From this share of errors in the last hour on, a row is failing. */
const errorShare = 0.5;

/** The state of a row: the first that applies. Nothing is ready that was not seen to work. */
export function findRowState({
  facts,
  isDisabled,
  isTypeDisabled,
  lost,
  activity,
}: Known): RowStateName {
  if (isDisabled || isTypeDisabled) return "disabled";
  const { connectorName, missing, lacksConnection, waiting } = facts;
  if (connectorName === null || missing.length > 0 || lacksConnection) return "needs_setup";
  const { outcome = null, workedAt = null } = activity ?? {};
  if (outcome?.kind === "unreachable") return "unreachable";
  if (outcome?.kind === "refused" || lost !== null) return "refused";
  if (outcome?.kind === "failed" && outcome.isCheck) return "failing";
  if (activity !== null && isFailing(activity)) return "failing";
  if (waiting > 0) return "needs_review";
  return workedAt === null ? "unused" : "ready";
}

/** Whether too many of the last hour's calls failed. */
export function isFailing({
  recentCalls,
  recentErrors,
}: Pick<RowActivityRecord, "recentCalls" | "recentErrors">): boolean {
  return recentCalls >= callsMin && recentErrors >= recentCalls * errorShare;
}
