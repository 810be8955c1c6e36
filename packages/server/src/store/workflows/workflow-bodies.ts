import { type ExpressionBuilder, sql } from "kysely";
import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { Tables } from "../database/tables.ts";

/** The JSON text of a body, under a random UUID. */
export type NewBody = {
  id: string;
  text: string;
  /** Of a body that a model saved: until then, its draft can be tried without a person. Epoch ms. */
  trialUntil?: number;
};

type StoredBody = NewBody & { workflowId: string; savedBy: string; createdAt: number };

export async function insertBody(trx: Transaction, body: StoredBody): Promise<void> {
  const { id, workflowId, text, savedBy, createdAt, trialUntil = null } = body;
  await toKysely(trx)
    .insertInto("workflow_bodies")
    .values({
      id,
      workflow_id: workflowId,
      body: text,
      created_at: createdAt,
      trial_until: trialUntil,
    })
    .execute();
  await addBodyEditor(trx, id, savedBy);
}

/** Records that a user has saved, restored or published a body. */
export async function addBodyEditor(
  trx: Transaction,
  bodyId: string,
  userId: string,
): Promise<void> {
  await toKysely(trx)
    .insertInto("workflow_body_editors")
    .values({ body_id: bodyId, user_id: userId })
    .onConflict((conflict) => conflict.columns(["body_id", "user_id"]).doNothing())
    .execute();
}

/** The users who have saved, restored or published one of these bodies. */
export async function listBodyEditors(db: Db, bodyIds: readonly string[]): Promise<string[]> {
  if (bodyIds.length === 0) return [];
  const kysely = toKysely(db);
  const recorded = kysely
    .selectFrom("workflow_body_editors")
    .select("user_id as userId")
    .where("body_id", "in", bodyIds);
  // A server of the version before records only these.
  const drafts = kysely
    .selectFrom("workflows")
    .select("draft_saved_by as userId")
    .where("draft_body_id", "in", bodyIds)
    .where("id", "in", (workflow) =>
      workflow.selectFrom("workflow_bodies").select("workflow_id").where("id", "in", bodyIds),
    );
  const versions = kysely
    .selectFrom("workflow_versions")
    .select("published_by as userId")
    .where("body_id", "in", bodyIds);
  const found = await recorded.union(drafts).union(versions).execute();
  return found.map(({ userId }) => userId);
}

/** The JSON text of a body. Null if it does not exist. */
export async function readBody(db: Db, bodyId: string): Promise<string | null> {
  const found = await toKysely(db)
    .selectFrom("workflow_bodies")
    .select("body")
    .where("id", "=", bodyId)
    .executeTakeFirst();
  return found?.body ?? null;
}

/** A draft or a published body. It is both if nothing was saved since. */
export type CurrentBody = {
  id: string;
  workflowId: string;
  workflowName: string;
  isDraft: boolean;
  isPublished: boolean;
  bytes: number;
};

/** The drafts and published bodies of the next `limit` workflows after the one with the id `after`. */
export async function listCurrentBodies(
  db: Db,
  { after, limit }: { after: string; limit: number },
): Promise<CurrentBody[]> {
  const workflows = await toKysely(db)
    .selectFrom("workflows")
    .select(["id", "name", "draft_body_id as draftId", "published_body_id as publishedId"])
    .where("deleted_at", "is", null)
    .where("id", ">", after)
    .orderBy("id")
    .limit(limit)
    .execute();
  const ids = workflows.flatMap(({ draftId, publishedId }) => [draftId, publishedId ?? draftId]);
  if (ids.length === 0) return [];
  const sizes = await toKysely(db)
    .selectFrom("workflow_bodies")
    .select(["id", (body) => sql<number>`octet_length(${body.ref("body")})`.as("bytes")])
    .where("id", "in", ids)
    .execute();
  const bytesOf = new Map(sizes.map(({ id, bytes }) => [id, bytes]));
  return workflows.flatMap(({ id: workflowId, name: workflowName, draftId, publishedId }) =>
    [...new Set([publishedId ?? draftId, draftId])].map((id) => ({
      id,
      workflowId,
      workflowName,
      bytes: bytesOf.get(id) ?? 0,
      isDraft: id === draftId,
      isPublished: id === publishedId,
    })),
  );
}

/** The JSON texts of those of these bodies that contain one of the texts, by id. */
export async function readBodiesWith(
  db: Db,
  bodyIds: readonly string[],
  texts: readonly string[],
): Promise<Map<string, string>> {
  if (bodyIds.length === 0) return new Map();
  const found = await toKysely(db)
    .selectFrom("workflow_bodies")
    .select(["id", "body"])
    .where("id", "in", bodyIds)
    .where((body) => body.or(texts.map((text) => body("body", "like", `%${text}%`))))
    .execute();
  return new Map(found.map(({ id, body }) => [id, body]));
}

/** Until when the body that a model saved can be tried. Null for a body that a person saved. */
export async function findTrialEnd(db: Db, bodyId: string): Promise<number | null> {
  const found = await toKysely(db)
    .selectFrom("workflow_bodies")
    .select("trial_until as trialUntil")
    .where("id", "=", bodyId)
    .executeTakeFirst();
  return found?.trialUntil ?? null;
}

/** A person has looked at the body: restored or published it. */
export async function endTrial(trx: Transaction, bodyId: string): Promise<void> {
  await toKysely(trx)
    .updateTable("workflow_bodies")
    .set({ trial_until: null })
    .where("id", "=", bodyId)
    .where("trial_until", "is not", null)
    .execute();
}

/** Removes those of these bodies to which no draft, publication, version or run refers. */
export async function removeUnusedBodies(
  trx: Transaction,
  bodyIds: readonly string[],
): Promise<void> {
  if (bodyIds.length === 0) return;
  await toKysely(trx)
    .deleteFrom("workflow_bodies")
    .where("workflow_bodies.id", "in", bodyIds)
    .where(isUnused)
    .execute();
}

/** The same for all bodies of a workflow that is deleted. */
export async function removeBodiesOf(trx: Transaction, workflowId: string): Promise<void> {
  await toKysely(trx)
    .deleteFrom("workflow_bodies")
    .where("workflow_id", "=", workflowId)
    .where(isUnused)
    .execute();
}

/** Whether nothing refers to a body. A deleted workflow has no draft and no publication. */
function isUnused(body: ExpressionBuilder<Tables, "workflow_bodies">) {
  const ofWorkflow = body
    .selectFrom("workflows")
    .select("workflows.id")
    .whereRef("workflows.id", "=", "workflow_bodies.workflow_id")
    .where("workflows.deleted_at", "is", null)
    .where((workflow) =>
      workflow.or([
        workflow("workflows.draft_body_id", "=", workflow.ref("workflow_bodies.id")),
        workflow("workflows.published_body_id", "=", workflow.ref("workflow_bodies.id")),
      ]),
    );
  const ofVersion = body
    .selectFrom("workflow_versions")
    .select("workflow_versions.version")
    .whereRef("workflow_versions.body_id", "=", "workflow_bodies.id");
  const ofRun = body
    .selectFrom("workflow_runs")
    .select("workflow_runs.id")
    .whereRef("workflow_runs.body_id", "=", "workflow_bodies.id");
  return body.not(body.or([body.exists(ofWorkflow), body.exists(ofVersion), body.exists(ofRun)]));
}
