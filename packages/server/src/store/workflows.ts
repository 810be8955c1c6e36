import { type ExpressionBuilder, sql } from "kysely";
import { type Db, type Transaction, transaction } from "./database.ts";
import { inSnapshot, toKysely } from "./kysely.ts";
import { bumpRevision } from "./revision.ts";
import { contains } from "./search.ts";
import { type Tables, toFlag, type WorkflowRunBy } from "./tables.ts";
import { ensureTags } from "./tags.ts";
import { removeWebhookRequests } from "./webhook-requests.ts";
import { insertBody, removeBodiesOf, removeUnusedBodies } from "./workflow-bodies.ts";
import { selectLastRun } from "./workflow-runs.ts";
import { removeTriggers, settleTicks } from "./workflow-triggers.ts";

/** A workflow without its bodies, which may be large. */
export type WorkflowRecord = {
  id: string;
  name: string;
  description: string;
  ownerId: string;
  /** A user who has not accepted the workflow yet. */
  pendingOwnerId: string | null;
  enabled: boolean;
  runBy: WorkflowRunBy;
  /** The number of publications. */
  version: number;
  /** In alphabetical order. */
  tags: string[];
  draftBodyId: string;
  /** Grows by one with every change of the draft. */
  draftRevision: number;
  draftSavedBy: string;
  draftSavedAt: number;
  /** Null before the first publication. */
  publishedBodyId: string | null;
  createdAt: number;
  updatedAt: number;
};

export type NewWorkflow = {
  id: string;
  name: string;
  description: string;
  ownerId: string;
  tags: readonly string[];
  runBy: WorkflowRunBy;
  /** The draft. */
  body: NewBody;
  savedBy: string;
  createdAt: number;
};

/** The JSON text of a body, under a random UUID. */
export type NewBody = { id: string; text: string };

/** False if a workflow has the id, or a deleted one had it. */
export function insertWorkflow(db: Db, workflow: NewWorkflow): Promise<boolean> {
  return transaction(db, async (trx) => {
    const { id, name, description, ownerId, runBy, body, savedBy, createdAt } = workflow;
    const made = await toKysely(trx)
      .insertInto("workflows")
      .values({
        id,
        name,
        description,
        owner_id: ownerId,
        pending_owner_id: null,
        enabled: 1,
        run_by: runBy,
        version: 0,
        draft_body_id: body.id,
        draft_revision: 1,
        draft_saved_by: savedBy,
        draft_saved_at: createdAt,
        published_body_id: null,
        created_at: createdAt,
        updated_at: createdAt,
        deleted_at: null,
      })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .returning("id")
      .executeTakeFirst();
    if (made === undefined) return false;
    await insertBody(trx, { ...body, workflowId: id, createdAt });
    await linkTags(trx, id, workflow.tags, createdAt);
    return true;
  });
}

/** Null if it does not exist or was deleted. */
export async function findWorkflow(db: Db, id: string): Promise<WorkflowRecord | null> {
  const [workflow] = await readWorkflows(db, { id }, { limit: 1 });
  return workflow ?? null;
}

export type WorkflowFilter = {
  id?: string;
  /** At most a few hundred. */
  ids?: readonly string[];
  /** Those that this user owns or is offered, or that have one of these tags. */
  visibleTo?: { userId: string; tags: readonly string[] } | undefined;
  ownerId?: string | undefined;
  tag?: string | undefined;
  /** A part of the name or id, in any case. */
  text?: string | undefined;
  /** Each of them is a part of the name or id. */
  words?: readonly string[];
  isPublished?: boolean | undefined;
  isEnabled?: boolean | undefined;
  /** Those whose last run failed. */
  isFailing?: boolean | undefined;
};

export type WorkflowPage = {
  /** Only workflows after this one, in the order of the list. */
  after?: { createdAt: number; id: string } | undefined;
  limit: number;
};

/** One page of workflows, newest first. */
export function listWorkflowPage(
  db: Db,
  filter: WorkflowFilter,
  page: WorkflowPage,
): Promise<WorkflowRecord[]> {
  return readWorkflows(db, filter, page);
}

/** The number of workflows of an owner. */
export async function countWorkflowsOf(db: Db, ownerId: string): Promise<number> {
  const { workflows } = await toKysely(db)
    .selectFrom("workflows")
    .select((workflow) => workflow.fn.countAll<number>().as("workflows"))
    .where("owner_id", "=", ownerId)
    .where("deleted_at", "is", null)
    .executeTakeFirstOrThrow();
  return Number(workflows);
}

/** Whether there is any workflow, so that a hub without them does nothing for them. */
export async function hasWorkflows(db: Db): Promise<boolean> {
  const any = await toKysely(db)
    .selectFrom("workflows")
    .select("id")
    .where("deleted_at", "is", null)
    .limit(1)
    .executeTakeFirst();
  return any !== undefined;
}

/** What a run needs to know of a workflow. */
export type RunnableWorkflow = Pick<
  WorkflowRecord,
  | "id"
  | "name"
  | "ownerId"
  | "enabled"
  | "version"
  | "publishedBodyId"
  | "draftBodyId"
  | "runBy"
  | "tags"
>;

/** Null if it does not exist or was deleted. */
export async function findRunnable(db: Db, id: string): Promise<RunnableWorkflow | null> {
  const workflow = await findWorkflow(db, id);
  return workflow && toRunnable(workflow);
}

/** Every published workflow, also disabled ones, whose triggers may start runs. */
export async function listPublished(db: Db): Promise<RunnableWorkflow[]> {
  return (await readWorkflows(db, { isPublished: true })).map(toRunnable);
}

function toRunnable(workflow: WorkflowRecord): RunnableWorkflow {
  const { id, name, ownerId, enabled, version, publishedBodyId, draftBodyId, runBy, tags } =
    workflow;
  return { id, name, ownerId, enabled, version, publishedBodyId, draftBodyId, runBy, tags };
}

export type WorkflowChange = {
  name?: string;
  description?: string;
  enabled?: boolean;
  runBy?: WorkflowRunBy;
  ownerId?: string;
  pendingOwnerId?: string | null;
};

/** Null if the workflow does not exist. */
export function updateWorkflow(
  db: Db,
  id: string,
  change: WorkflowChange,
  at: number,
): Promise<WorkflowRecord | null> {
  return transaction(db, async (trx) => {
    const { name, description, enabled, runBy, ownerId, pendingOwnerId } = change;
    const isChanged = await setColumns(trx, id, {
      name,
      description,
      enabled: enabled === undefined ? undefined : toFlag(enabled),
      run_by: runBy,
      owner_id: ownerId,
      pending_owner_id: pendingOwnerId,
      updated_at: at,
    });
    if (!isChanged) return null;
    // Ticks of the time in which it was disabled are not caught up.
    if (enabled) await settleTicks(trx, { workflowId: id, at });
    await bumpRevision(trx);
    return await findWorkflow(trx, id);
  });
}

/** Replaces all tags of a workflow. False if it does not exist. */
export function setWorkflowTags(
  db: Db,
  id: string,
  names: readonly string[],
  at: number,
): Promise<boolean> {
  return transaction(db, async (trx) => {
    if (!(await setColumns(trx, id, { updated_at: at }))) return false;
    await toKysely(trx).deleteFrom("workflow_tags").where("workflow_id", "=", id).execute();
    await linkTags(trx, id, names, at);
    await bumpRevision(trx);
    return true;
  });
}

export type SavedDraft = { body: NewBody; savedBy: string; at: number };

/**
 * Replaces the draft and increments its revision. The draft before is removed unless a version or a
 * run needs it. False if the workflow does not exist.
 */
export function putDraft(db: Db, id: string, { body, savedBy, at }: SavedDraft): Promise<boolean> {
  return transaction(db, async (trx) => {
    const present = await findWorkflow(trx, id);
    if (present === null) return false;
    await insertBody(trx, { ...body, workflowId: id, createdAt: at });
    await setDraft(trx, present, { bodyId: body.id, savedBy, at });
    return true;
  });
}

/** The same with a body that is stored: of a version of the same workflow. */
export function restoreDraft(
  db: Db,
  id: string,
  { bodyId, savedBy, at }: { bodyId: string; savedBy: string; at: number },
): Promise<boolean> {
  return transaction(db, async (trx) => {
    const present = await findWorkflow(trx, id);
    if (present === null) return false;
    await setDraft(trx, present, { bodyId, savedBy, at });
    return true;
  });
}

async function setDraft(
  trx: Transaction,
  present: WorkflowRecord,
  { bodyId, savedBy, at }: { bodyId: string; savedBy: string; at: number },
): Promise<void> {
  await setColumns(trx, present.id, {
    draft_body_id: bodyId,
    draft_revision: present.draftRevision + 1,
    draft_saved_by: savedBy,
    draft_saved_at: at,
    updated_at: at,
  });
  await removeUnusedBodies(trx, [present.draftBodyId]);
}

/** Deletes a workflow with its tags, secrets, versions and drafts. Its runs and its id stay taken. */
export function deleteWorkflow(db: Db, id: string, at: number): Promise<boolean> {
  return transaction(db, async (trx) => {
    const isDeleted = await setColumns(trx, id, {
      enabled: 0,
      pending_owner_id: null,
      deleted_at: at,
      updated_at: at,
    });
    if (!isDeleted) return false;
    for (const table of ["workflow_tags", "workflow_secrets", "workflow_versions"] as const) {
      await toKysely(trx).deleteFrom(table).where("workflow_id", "=", id).execute();
    }
    await removeTriggers(trx, id);
    await removeWebhookRequests(trx, id);
    await removeBodiesOf(trx, id);
    await bumpRevision(trx);
    return true;
  });
}

type WorkflowColumns = {
  [Column in keyof Tables["workflows"]]?: Tables["workflows"][Column] | undefined;
};

/** False if the workflow does not exist or was deleted. */
export async function setColumns(
  trx: Transaction,
  id: string,
  columns: WorkflowColumns,
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(trx)
    .updateTable("workflows")
    .set(columns)
    .where("id", "=", id)
    .where("deleted_at", "is", null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

async function linkTags(
  trx: Transaction,
  id: string,
  names: readonly string[],
  at: number,
): Promise<void> {
  const tags = await ensureTags(trx, names, at);
  if (tags.length === 0) return;
  const links = tags.map((tag) => ({ workflow_id: id, tag_id: tag.id }));
  await toKysely(trx).insertInto("workflow_tags").values(links).execute();
}

function readWorkflows(
  db: Db,
  filter: WorkflowFilter,
  page?: WorkflowPage,
): Promise<WorkflowRecord[]> {
  return inSnapshot(db, async (kysely) => {
    let workflows = kysely
      .selectFrom("workflows")
      .where("deleted_at", "is", null)
      .where((workflow) => matchesFilter(workflow, filter))
      .orderBy("created_at", "desc")
      .orderBy("id", "desc");
    if (page !== undefined) {
      workflows = workflows.where((workflow) => isAfter(workflow, page)).limit(page.limit);
    }
    const found = await workflows.selectAll().execute();
    const tags = await kysely
      .selectFrom("workflow_tags")
      .innerJoin("tags", "tags.id", "tag_id")
      .select(["workflow_id", "name"])
      .where("workflow_id", "in", workflows.select("id"))
      .orderBy("name")
      .execute();
    const namesOf = Map.groupBy(tags, (tag) => tag.workflow_id);
    return found.map((workflow) =>
      toRecord(
        workflow,
        (namesOf.get(workflow.id) ?? []).map(({ name }) => name),
      ),
    );
  });
}

function toRecord(workflow: Tables["workflows"], tags: string[]): WorkflowRecord {
  return {
    id: workflow.id,
    name: workflow.name,
    description: workflow.description,
    ownerId: workflow.owner_id,
    pendingOwnerId: workflow.pending_owner_id,
    enabled: workflow.enabled === 1,
    runBy: workflow.run_by,
    version: workflow.version,
    tags,
    draftBodyId: workflow.draft_body_id,
    draftRevision: workflow.draft_revision,
    draftSavedBy: workflow.draft_saved_by,
    draftSavedAt: workflow.draft_saved_at,
    publishedBodyId: workflow.published_body_id,
    createdAt: workflow.created_at,
    updatedAt: workflow.updated_at,
  };
}

type WorkflowExpressions = ExpressionBuilder<Tables, "workflows">;

function matchesFilter(workflow: WorkflowExpressions, filter: WorkflowFilter) {
  const { id, ids, visibleTo, ownerId, tag, text, isPublished, isEnabled, isFailing } = filter;
  const { words = [] } = filter;
  const conditions = [];
  if (id !== undefined) conditions.push(workflow("workflows.id", "=", id));
  if (ids !== undefined) {
    conditions.push(ids.length === 0 ? workflow.or([]) : workflow("workflows.id", "in", ids));
  }
  if (ownerId !== undefined) conditions.push(workflow("owner_id", "=", ownerId));
  if (tag !== undefined) conditions.push(hasTag(workflow, [tag]));
  if (visibleTo !== undefined) {
    conditions.push(
      workflow.or([
        workflow("owner_id", "=", visibleTo.userId),
        workflow("pending_owner_id", "=", visibleTo.userId),
        hasTag(workflow, visibleTo.tags),
      ]),
    );
  }
  if (text !== undefined) {
    const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`;
    conditions.push(
      workflow.or([
        sql<boolean>`lower(${workflow.ref("workflows.name")}) like ${pattern} escape '\\'`,
        sql<boolean>`${workflow.ref("workflows.id")} like ${pattern} escape '\\'`,
      ]),
    );
  }
  if (isPublished !== undefined) {
    conditions.push(workflow("published_body_id", isPublished ? "is not" : "is", null));
  }
  if (isEnabled !== undefined) conditions.push(workflow("enabled", "=", toFlag(isEnabled)));
  for (const word of words) conditions.push(contains(["workflows.name", "workflows.id"], word));
  if (isFailing) conditions.push(workflow(selectLastRun(workflow, "state"), "=", "failed"));
  return workflow.and(conditions);
}

function hasTag(workflow: WorkflowExpressions, names: readonly string[]) {
  if (names.length === 0) return workflow.or([]);
  const tagged = workflow
    .selectFrom("workflow_tags")
    .innerJoin("tags", "tags.id", "workflow_tags.tag_id")
    .select("workflow_tags.workflow_id")
    .where("tags.name", "in", names);
  return workflow("workflows.id", "in", tagged);
}

function isAfter(workflow: WorkflowExpressions, { after }: WorkflowPage) {
  if (after === undefined) return workflow.and([]);
  const { createdAt, id } = after;
  return workflow.or([
    workflow("created_at", "<", createdAt),
    workflow.and([workflow("created_at", "=", createdAt), workflow("id", "<", id)]),
  ]);
}
