import { toTimeText } from "@hub/contract/time.ts";
import type {
  Workflow,
  WorkflowDetail,
  WorkflowSecret,
  WorkflowUser,
} from "@hub/contract/workflow.ts";
import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import { LOCAL_ADMIN_ID, localAdmin } from "../../identity/local-admin.ts";
import type { Db } from "../../store/database/database.ts";
import { findUserStates, type UserState } from "../../store/search/name-lookups.ts";
import { EVERYONE_TAG } from "../../store/tags/tags-table.ts";
import { listWorkflowSecrets } from "../../store/workflows/workflow-secrets.ts";
import type { WorkflowRecord } from "../../store/workflows/workflows-table.ts";
import { loadBody } from "./body-text.ts";
import { listNeededSecrets } from "./list-needed-secrets.ts";
import { findAccess, mayStart } from "./workflow-access.ts";

type Users = ReadonlyMap<string, UserState>;

/** Workflows that the caller sees, as lists show them. */
export async function presentWorkflows(
  db: Db,
  caller: Caller,
  workflows: readonly WorkflowRecord[],
): Promise<Workflow[]> {
  const ids = workflows.flatMap(({ ownerId, pendingOwnerId, draftSavedBy }) => [
    ownerId,
    draftSavedBy,
    ...(pendingOwnerId === null ? [] : [pendingOwnerId]),
  ]);
  const users = await findUserStates(db, ids);
  return workflows.map((workflow) => toWorkflow(caller, workflow, users));
}

export async function presentWorkflow(
  db: Db,
  caller: Caller,
  workflow: WorkflowRecord,
): Promise<Workflow> {
  const [presented] = await presentWorkflows(db, caller, [workflow]);
  if (presented === undefined) throw new Error("The list of one workflow is empty.");
  return presented;
}

/** With the draft, for callers who may read it. */
export async function presentDetail(
  db: Db,
  caller: Caller,
  workflow: WorkflowRecord,
): Promise<WorkflowDetail> {
  const presented = await presentWorkflow(db, caller, workflow);
  if (presented.access === "see") return { ...presented, body: null, secrets: null };
  const body = await loadBody(db, workflow.draftBodyId);
  return { ...presented, body, secrets: await readSecretNames(db, workflow, body) };
}

/** The names of the secrets that are set, or that the draft or the published body needs. */
export async function readSecretNames(
  db: Db,
  { id, draftBodyId, publishedBodyId }: WorkflowRecord,
  draft: unknown,
): Promise<WorkflowSecret[]> {
  const used = new Set(listNeededSecrets(draft));
  if (publishedBodyId !== null && publishedBodyId !== draftBodyId) {
    for (const name of listNeededSecrets(await loadBody(db, publishedBodyId))) used.add(name);
  }
  const set = new Map(
    (await listWorkflowSecrets(db, id)).map(({ name, updatedAt }) => [name, updatedAt]),
  );
  return [...new Set([...set.keys(), ...used])].sort().map((name) => {
    const updatedAt = set.get(name);
    return {
      name,
      is_set: updatedAt !== undefined,
      is_used: used.has(name),
      updated_at: updatedAt === undefined ? null : toTimeText(updatedAt),
    };
  });
}

function toWorkflow(caller: Caller, workflow: WorkflowRecord, users: Users): Workflow {
  const access = findAccess(caller, workflow);
  if (access === null) throw new HubError("not_found", "There is no such workflow.");
  const { ownerId, pendingOwnerId, tags } = workflow;
  const isOwn = (tag: string) => tag === EVERYONE_TAG || caller.tags.has(tag);
  const reads = access !== "see";
  return {
    id: workflow.id,
    name: workflow.name,
    description: workflow.description,
    tags: reads ? tags : tags.filter(isOwn),
    enabled: workflow.enabled,
    version: workflow.version,
    run_by: workflow.runBy,
    access,
    may_start: mayStart(caller, workflow),
    has_active_owner: users.get(ownerId)?.status === "active",
    owner: reads ? toUser(users, ownerId) : null,
    pending_owner: reads && pendingOwnerId !== null ? toUser(users, pendingOwnerId) : null,
    draft: reads
      ? {
          revision: workflow.draftRevision,
          saved_at: toTimeText(workflow.draftSavedAt),
          saved_by: toUser(users, workflow.draftSavedBy),
          is_published: workflow.draftBodyId === workflow.publishedBodyId,
        }
      : null,
    created_at: toTimeText(workflow.createdAt),
    updated_at: toTimeText(workflow.updatedAt),
  };
}

export function toUser(users: Users, id: string): WorkflowUser {
  const email = id === LOCAL_ADMIN_ID ? localAdmin.email : (users.get(id)?.email ?? "");
  return { id, email };
}
