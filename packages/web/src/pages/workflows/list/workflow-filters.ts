import { readTextFilters } from "../../../ui/tables/text-filters.ts";

export const workflowStates = ["published", "draft", "disabled", "failing"] as const;

/** The filters of the list of workflows, as they stand in its address. */
export type WorkflowFilters = {
  q?: string;
  state?: (typeof workflowStates)[number];
  tag?: string;
  owner?: string;
  /** The dialog that is open. */
  make?: "new" | "import";
  /** The example from which the new workflow starts. */
  example?: string;
};

/** Reads the filters of an address. What is not understood is left out. */
export function readWorkflowFilters(search: Record<string, unknown>): WorkflowFilters {
  const state = workflowStates.find((one) => one === search.state);
  const make = (["new", "import"] as const).find((one) => one === search.make);
  return {
    ...(make !== undefined && { make }),
    ...readTextFilters(search, ["q", "tag", "owner", "example"]),
    ...(state !== undefined && { state }),
  };
}
