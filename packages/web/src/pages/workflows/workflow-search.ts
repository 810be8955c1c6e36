import type { WorkflowRunState } from "@hub/contract/workflow-run.ts";
import { readTextFilters, readTimeFilters } from "../../ui/tables/text-filters.ts";
import { runStateNames } from "../../workflow-parts/runs/run-states.ts";

const workflowTabs = [
  "overview",
  "runs",
  "schedule",
  "webhooks",
  "versions",
  "words",
  "secrets",
  "settings",
] as const;
export type WorkflowTab = (typeof workflowTabs)[number];

/** What the address of a workflow's page says. */
export type WorkflowSearch = {
  tab?: WorkflowTab;
  /** The dialog that is open: the manual runner, or the question before a publication. */
  open?: "run" | "publish";
  /** The run that was started here. */
  run?: string;
  state?: WorkflowRunState;
  trigger?: string;
  from?: string;
  to?: string;
  /** The versions that are compared: `draft`, `published` or numbers. */
  older?: string;
  newer?: string;
  /** The version that is shown. */
  version?: string;
  /** The deliveries of webhooks that are shown. */
  outcome?: "accepted" | "refused";
};

export function readWorkflowSearch(given: Record<string, unknown>): WorkflowSearch {
  const tab = workflowTabs.find((name) => name === given.tab);
  const open = (["run", "publish"] as const).find((name) => name === given.open);
  const outcome = (["accepted", "refused"] as const).find((name) => name === given.outcome);
  const { state } = given;
  const isState = typeof state === "string" && Object.hasOwn(runStateNames, state);
  return {
    ...(tab !== undefined && { tab }),
    ...(open !== undefined && { open }),
    ...(outcome !== undefined && { outcome }),
    // Its names are the states.
    ...(isState && { state: state as WorkflowRunState }),
    ...readTextFilters(given, ["trigger", "run", "older", "newer", "version"]),
    ...readTimeFilters(given),
  };
}

/** The tab that an address shows among those that the user has. Without one, what it says of runs opens their list. */
export function findTab(search: WorkflowSearch, shown: readonly WorkflowTab[]): WorkflowTab {
  const { tab, run, state, trigger, from, to } = search;
  const named = shown.find((name) => name === tab);
  if (named !== undefined) return named;
  const isOfRuns = [run, state, trigger, from, to].some((one) => one !== undefined);
  return isOfRuns && shown.includes("runs") ? "runs" : (shown[0] ?? "runs");
}
