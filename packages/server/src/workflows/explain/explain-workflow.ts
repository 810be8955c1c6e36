import type { WorkflowExplanation } from "@hub/contract/workflow-explanation.ts";
import type { Caller } from "../../caller.ts";
import { findVersion } from "../../store/workflows/workflow-versions-table.ts";
import { loadBody } from "../definition/body-text.ts";
import type { DefinitionDeps } from "../definition/definition-deps.ts";
import { toMissingVersion } from "../definition/save-draft.ts";
import { loadWorkflow } from "../definition/workflow-access.ts";
import { explainBody } from "./explain-body.ts";
import { readExplainWorld } from "./explain-world.ts";

type ExplainDeps = Pick<DefinitionDeps, "store" | "registry">;

/** A summary of the draft, or of a version. For those who may read the workflow. */
export async function explainWorkflow(
  deps: ExplainDeps,
  caller: Caller,
  id: string,
  version: number | "draft" = "draft",
): Promise<WorkflowExplanation> {
  const { db } = deps.store;
  const workflow = await loadWorkflow(db, caller, id, "accept");
  const found = version === "draft" ? null : await findVersion(db, id, version);
  if (found === null && version !== "draft") throw toMissingVersion();
  const body = await loadBody(db, found?.bodyId ?? workflow.draftBodyId);
  const world = await readExplainWorld(deps, caller, workflow, body);
  return { version: found?.version ?? null, ...(await explainBody(world, body)) };
}
