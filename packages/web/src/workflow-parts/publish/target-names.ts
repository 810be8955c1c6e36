import type { WorkflowOpened } from "@hub/contract/workflow.ts";
import { useRowLabels } from "../../api/use-row-labels.ts";

/** Returns the function that names what a node calls, as people know it: the label of the row, not its id. */
export function useTargetNames(
  opened: readonly WorkflowOpened[],
): (opened: WorkflowOpened) => string {
  const labels = useRowLabels(opened.flatMap((one) => parseTarget(one)?.row ?? []));
  return (one) => {
    const target = parseTarget(one);
    const label = target === null ? undefined : labels.get(target.row);
    return target === null || label === undefined ? one.target : `${label}: ${target.operation}`;
  };
}

function parseTarget({ target }: WorkflowOpened): { row: string; operation: string } | null {
  const [, row, operation] = /^conn:([0-9a-f-]{36})\/(.+)$/i.exec(target) ?? [];
  return row === undefined || operation === undefined ? null : { row, operation };
}
