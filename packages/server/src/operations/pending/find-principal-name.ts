import type { Principal } from "../../caller.ts";
import type { Db } from "../../store/database/database.ts";
import { findOAuthGrant } from "../../store/oauth/oauth-grants.ts";
import { findToken } from "../../store/users/tokens-table.ts";
import { findWorkflowRun } from "../../store/workflow-runs/workflow-runs-table.ts";
import { findWorkflow } from "../../store/workflows/workflows-table.ts";

/** The name by which people know what made a call. It is read only when a person is asked. */
export async function findPrincipalName(db: Db, { kind, id }: Principal): Promise<string> {
  if (kind === "token") return (await findToken(db, id))?.name ?? "a token";
  if (kind === "grant") return (await findOAuthGrant(db, id))?.clientName ?? "an application";
  if (kind === "workflow") return await findWorkflowName(db, id);
  return names[kind];
}

const names = { stdio: "stdio", session: "the hub's pages" } as const;

async function findWorkflowName(db: Db, runId: string): Promise<string> {
  const run = await findWorkflowRun(db, runId);
  const workflow = run === null ? null : await findWorkflow(db, run.workflowId);
  return workflow?.name ?? "a workflow";
}
