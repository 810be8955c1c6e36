import type { WorkflowExport } from "@hub/contract/workflow.ts";
import type { Caller } from "../../caller.ts";
import { loadWorkflow } from "./access.ts";
import { loadBody } from "./body-text.ts";
import { listNeededSecrets } from "./list-needed-secrets.ts";
import type { RecordDeps } from "./record-deps.ts";

/** The draft of a workflow, as another hub can import it: without secrets, with the names of those it needs. */
export async function exportWorkflow(
  { store }: Pick<RecordDeps, "store">,
  caller: Caller,
  id: string,
): Promise<WorkflowExport> {
  const workflow = await loadWorkflow(store.db, caller, id, "accept");
  const { name, description, runBy, draftBodyId } = workflow;
  const body = await loadBody(store.db, draftBodyId);
  const secrets = listNeededSecrets(body);
  return { format: "hub-workflow", name, description, run_by: runBy, body, secrets };
}
