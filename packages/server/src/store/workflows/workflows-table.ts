import { type ExpressionBuilder, type Kysely, sql } from "kysely";
import type { Db } from "../database/database.ts";
import { inSnapshot, toKysely } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import { toFlag } from "../database/tables/flag.ts";
import type { WorkflowRunBy } from "../database/tables/workflow-tables.ts";
import type { Tables } from "../database/tables.ts";
import { contains } from "../search/contains.ts";
import { selectLastRun } from "../workflow-runs/workflow-runs-table.ts";

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

/** A position in the list, which is newest first. */
export type WorkflowPosition = { createdAt: number; id: string };

export type WorkflowPage = {
  /** Only workflows after this one, in the order of the list. */
  after?: WorkflowPosition | undefined;
  limit: number;
  /** How many of the newest workflows after the position are looked at. The default is all. */
  scannedMax?: number;
};

/** One page of workflows, newest first. */
export function listWorkflowPage(
  db: Db,
  filter: WorkflowFilter,
  page: WorkflowPage,
): Promise<WorkflowRecord[]> {
  return readWorkflows(db, filter, page);
}

/** The position of the workflow that is this many after a position. Null if there are fewer. */
export async function findWorkflowAt(
  db: Db,
  after: WorkflowPosition | undefined,
  offset: number,
): Promise<WorkflowPosition | null> {
  const found = await selectSpan(toKysely(db), after)
    .select(["created_at as createdAt", "id"])
    .offset(offset)
    .limit(1)
    .executeTakeFirst();
  return found ?? null;
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
  "id" | "name" | "ownerId" | "enabled" | "version" | "publishedBodyId" | "runBy" | "tags"
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
  const { id, name, ownerId, enabled, version, publishedBodyId, runBy, tags } = workflow;
  return { id, name, ownerId, enabled, version, publishedBodyId, runBy, tags };
}

function readWorkflows(
  db: Db,
  filter: WorkflowFilter,
  page?: WorkflowPage,
): Promise<WorkflowRecord[]> {
  return inSnapshot(db, async (kysely) => {
    const { after, limit, scannedMax } = page ?? {};
    const span = selectSpan(kysely, after).select(tableColumns.workflows);
    let workflows = kysely
      .selectFrom((scannedMax === undefined ? span : span.limit(scannedMax)).as("workflows"))
      .where((workflow) => matchesFilter(workflow, filter))
      .orderBy("created_at", "desc")
      .orderBy("id", "desc");
    if (limit !== undefined) workflows = workflows.limit(limit);
    const found = await workflows.select(tableColumns.workflows).execute();
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

function selectSpan(kysely: Kysely<Tables>, after: WorkflowPosition | undefined) {
  const workflows = kysely
    .selectFrom("workflows")
    .where("deleted_at", "is", null)
    .orderBy("created_at", "desc")
    .orderBy("id", "desc");
  if (after === undefined) return workflows;
  // Compared as a pair, so that the index is entered at the position.
  return workflows.where(
    sql<boolean>`(created_at, id) < (${sql.val(after.createdAt)}, ${sql.val(after.id)})`,
  );
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
    .whereRef("workflow_tags.workflow_id", "=", "workflows.id")
    .where("tags.name", "in", names);
  return workflow.exists(tagged);
}
