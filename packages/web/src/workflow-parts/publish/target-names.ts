import type { WorkflowOpened } from "@hub/contract/workflow.ts";
import { useRowLabels } from "../../api/use-row-labels.ts";
import { parseToolId } from "../tool-id.ts";

/** Returns the function that names what a node calls, as people know it: the label of the row, not its id. */
export function useTargetNames(
  opened: readonly WorkflowOpened[],
): (opened: WorkflowOpened) => string {
  const labels = useRowLabels(opened.flatMap((one) => parseToolId(one.target)?.row ?? []));
  return (one) => {
    const target = parseToolId(one.target);
    const label = target === null ? undefined : labels.get(target.row);
    return target === null || label === undefined ? one.target : `${label}: ${target.operation}`;
  };
}
