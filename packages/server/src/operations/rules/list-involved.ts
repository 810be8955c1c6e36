import { LOCAL_ADMIN_ID, localAdmin } from "../../identity/local-admin.ts";
import type { Db } from "../../store/database/database.ts";
import { findUserIds } from "../../store/search/name-lookups.ts";
import { listServiceOwners } from "../../store/users/service-users.ts";
import { readStarterIds } from "../../store/workflow-runs/read-starter-ids.ts";
import type { ClaimedRun } from "../../store/workflow-runs/workflow-run-records.ts";
import { listParentRuns } from "../../store/workflow-runs/workflow-runs-table.ts";
import { listBodyEditors } from "../../store/workflows/workflow-bodies.ts";

type InvolvedRun = Pick<
  ClaimedRun,
  "id" | "workflowId" | "bodyId" | "parentRunId" | "starterIds" | "startedBy"
>;

/** The users who started a run, and those who edited what it runs. Of service users their owners, too. */
export type Involved = { starterIds: string[]; editorIds: string[] };

/**
 * Who may not decide the approvals of a run. The editors of another workflow that led to the run
 * count as its starters: they chose what it does, and with which payload.
 */
export async function listInvolved(db: Db, run: InvolvedRun): Promise<Involved> {
  const parents = run.parentRunId === null ? [] : await listParentRuns(db, run.id);
  const others = parents.filter(({ workflowId }) => workflowId !== run.workflowId);
  const starters = await listBodyEditors(db, [...new Set(others.map(({ bodyId }) => bodyId))]);
  return {
    starterIds: await withOwners(db, [...(await listStarters(db, run)), ...starters]),
    editorIds: await withOwners(db, await listBodyEditors(db, [run.bodyId])),
  };
}

/** With the owners of the service users among them, each once: a person does not decide on what an own program does. */
export async function withOwners(db: Db, ids: readonly string[]): Promise<string[]> {
  return [...new Set([...ids, ...(await listServiceOwners(db, ids))])];
}

/** A server of the version before stores no ids, but the e-mail of who started a run by hand. */
async function listStarters(db: Db, run: InvolvedRun): Promise<string[]> {
  if (run.starterIds !== null) return readStarterIds(run);
  if (run.startedBy === localAdmin.email) return [LOCAL_ADMIN_ID];
  return [...(await findUserIds(db, [run.startedBy])).values()];
}
