import type { WorkflowAccess } from "@hub/contract/workflow.ts";
import type { Caller } from "../../caller.ts";
import type { Actor } from "../../changes/actor.ts";
import type { Config } from "../../config.ts";
import { isVisible } from "../../connectors/rows/row-visibility.ts";
import { HubError } from "../../errors.ts";
import type { Db } from "../../store/database/database.ts";
import { findWorkflow, type WorkflowRecord } from "../../store/workflows/workflows-table.ts";

/** Who reads or changes a workflow: the caller, whose rights count, and the author of the change. */
export type Author = {
  caller: Caller;
  actor: Actor;
  /** A model makes the change, over MCP. */
  isModel?: boolean;
};

type Shared = Pick<WorkflowRecord, "ownerId" | "pendingOwnerId" | "tags">;

/** What a caller may do with a workflow; null if it does not exist for the caller. */
export function findAccess(
  caller: Pick<Caller, "userId" | "role" | "tags">,
  workflow: Shared,
): WorkflowAccess | null {
  if (caller.role === "admin" || workflow.ownerId === caller.userId) return "manage";
  if (workflow.pendingOwnerId === caller.userId) return "accept";
  return isVisible(caller, workflow) ? "see" : null;
}

/** Whether a caller may start the workflow by hand. */
export function mayStart(
  caller: Caller,
  workflow: Shared & Pick<WorkflowRecord, "runBy">,
): boolean {
  if (findAccess(caller, workflow) === "manage") return true;
  return workflow.runBy === "tags" && isVisible(caller, workflow);
}

/** The rights that include each right. */
const including: Record<WorkflowAccess, readonly WorkflowAccess[]> = {
  see: ["see", "accept", "manage"],
  accept: ["accept", "manage"],
  manage: ["manage"],
};

/**
 * The workflow with this id. Throws `not_found` if it does not exist for the caller, and `forbidden`
 * for a caller without the right.
 */
export async function loadWorkflow(
  db: Db,
  caller: Caller,
  id: string,
  right: WorkflowAccess,
): Promise<WorkflowRecord> {
  const workflow = await findWorkflow(db, id);
  const access = workflow && findAccess(caller, workflow);
  if (workflow === null || access === null) {
    throw new HubError("not_found", "There is no such workflow.");
  }
  if (including[right].includes(access)) return workflow;
  throw new HubError("forbidden", "Only the owner of the workflow and admins may do this.");
}

/** Whether a user may write workflows (`HUB_WORKFLOW_AUTHORS`). */
export function mayAuthor(
  { workflowAuthors }: Pick<Config, "workflowAuthors">,
  { role }: Pick<Caller, "role">,
): boolean {
  return role === "admin" || workflowAuthors === "users";
}

/** Throws for users who may not write workflows. */
export function checkMayAuthor(
  config: Pick<Config, "workflowAuthors">,
  caller: Pick<Caller, "role">,
): void {
  if (mayAuthor(config, caller)) return;
  throw new HubError("forbidden", "On this hub, only admins may write workflows. Ask an admin.");
}
