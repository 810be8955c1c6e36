import type { WorkflowOpened } from "@hub/contract/workflow.ts";
import { useAll } from "../../api/use-api.ts";

/** Returns the function that names what a node calls, as people know it: the label of the row, not its id. */
export function useTargetNames({ isOn }: { isOn: boolean }): (opened: WorkflowOpened) => string {
  const rows = useAll("GET /manager/api/rows", {}, { isOn });
  const labels = new Map(
    (rows.data ?? []).flatMap((page) => page.rows).map(({ id, label }) => [id, label]),
  );
  return ({ target }) => {
    const [, row = "", operation = ""] = /^conn:([^/]+)\/(.+)$/.exec(target) ?? [];
    const label = labels.get(row);
    return label === undefined ? target : `${label}: ${operation}`;
  };
}
