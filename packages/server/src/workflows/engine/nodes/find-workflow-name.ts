import type { Db } from "../../../store/database/database.ts";
import { findWorkflow } from "../../../store/workflows/workflows-table.ts";
import { findAccess } from "../../definition/workflow-access.ts";
import type { StepContext } from "../step/open-step.ts";
import { createOwnerFinder } from "./find-recent-owner.ts";

/** Finds the name of a workflow, as the owner of the run sees it; null if there is none. */
export function createWorkflowNameFinder({ db }: { db: Db }, ctx: StepContext) {
  const findOwner = createOwnerFinder(ctx);
  return async (id: string): Promise<string | null> => {
    const workflow = await findWorkflow(db, id);
    if (workflow === null) return null;
    return findAccess(await findOwner(), workflow) === null ? null : workflow.name;
  };
}
