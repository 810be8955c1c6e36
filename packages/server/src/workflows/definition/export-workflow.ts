import type { WorkflowExport } from "@hub/contract/workflow.ts";
import type { Caller } from "../../caller.ts";
import { isVisible } from "../../connectors/rows/row-visibility.ts";
import { listRows } from "../../store/rows/rows-table.ts";
import { loadBody } from "./body-text.ts";
import { listCalledIds, toCalledRows } from "./called-rows.ts";
import type { DefinitionDeps } from "./definition-deps.ts";
import { listNeededSecrets } from "./list-needed-secrets.ts";
import { loadWorkflow } from "./workflow-access.ts";

/** The draft of a workflow, as another hub can import it: without secrets, with the names of those it needs. */
export async function exportWorkflow(
  { store, registry }: Pick<DefinitionDeps, "store" | "registry">,
  caller: Caller,
  id: string,
): Promise<WorkflowExport> {
  const workflow = await loadWorkflow(store.db, caller, id, "accept");
  const { name, description, runBy, draftBodyId } = workflow;
  const body = await loadBody(store.db, draftBodyId);
  const secrets = listNeededSecrets(body);
  const rows = await listRows(store.db, { ids: listCalledIds([body]) });
  // Of a row that the caller does not see, nothing is said.
  const shown = rows
    .filter((row) => isVisible(caller, row))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  const called = toCalledRows(registry, shown);
  return {
    format: "hub-workflow",
    name,
    description,
    run_by: runBy,
    body,
    ...(Object.keys(called).length > 0 && { rows: called }),
    secrets,
  };
}
