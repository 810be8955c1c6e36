import { sql } from "kysely";
import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { Tables } from "../database/tables.ts";
import { effectiveRole, effectiveStatus } from "../users/effective-user.ts";

/** A published trigger that is found without reading the body. Times are epoch ms. */
export type IndexedTrigger = {
  id: string;
  type: string;
  entry: string;
  /** Of cron. */
  schedule: string | null;
  /** Null for the hub's. */
  timezone: string | null;
  catchUp: string | null;
  /** Of error: the id of a workflow, or `*`. */
  sourceWorkflow: string | null;
  /** Null for every severity. */
  severities: readonly string[] | null;
  /** Of channel: the slug of a channel or its kind. */
  channel: string | null;
  event: string | null;
  match: { readonly [filter: string]: unknown } | null;
};

/**
 * Replaces the triggers of a workflow, which were published at `at`. Ticks before that time do not count,
 * unless the trigger had the same schedule before.
 */
export async function putTriggers(
  trx: Transaction,
  workflowId: string,
  triggers: readonly IndexedTrigger[],
  at: number,
): Promise<void> {
  const known = await toKysely(trx)
    .deleteFrom("workflow_triggers")
    .where("workflow_id", "=", workflowId)
    .returning(["trigger_id", "schedule", "timezone", "settled_at"])
    .execute();
  if (triggers.length === 0) return;
  const before = new Map(known.map((trigger) => [trigger.trigger_id, trigger]));
  const toCompletion = ({ id, schedule, timezone }: IndexedTrigger) => {
    const same = before.get(id);
    const isSame = same?.schedule === schedule && same.timezone === timezone;
    return isSame ? same.settled_at : at;
  };
  const rows = triggers.map((trigger) => ({
    workflow_id: workflowId,
    trigger_id: trigger.id,
    type: trigger.type,
    entry: trigger.entry,
    schedule: trigger.schedule,
    timezone: trigger.timezone,
    catch_up: trigger.catchUp,
    settled_at: toCompletion(trigger),
    source_workflow: trigger.sourceWorkflow,
    severities: trigger.severities === null ? null : JSON.stringify(trigger.severities),
    channel: trigger.channel,
    event: trigger.event,
    match_filters: trigger.match === null ? null : JSON.stringify(trigger.match),
  }));
  await toKysely(trx).insertInto("workflow_triggers").values(rows).execute();
}

export async function removeTriggers(trx: Transaction, workflowId: string): Promise<void> {
  await toKysely(trx)
    .deleteFrom("workflow_triggers")
    .where("workflow_id", "=", workflowId)
    .execute();
}

/** The number of triggers of a type in the published workflows of an owner, without one workflow. */
export async function countTriggersOf(
  db: Db,
  { ownerId, type, except }: { ownerId: string; type: string; except: string },
): Promise<number> {
  const { triggers } = await toKysely(db)
    .selectFrom("workflow_triggers")
    .innerJoin("workflows", "workflows.id", "workflow_triggers.workflow_id")
    .select((trigger) => trigger.fn.countAll<number>().as("triggers"))
    .where("workflows.owner_id", "=", ownerId)
    .where("workflows.deleted_at", "is", null)
    .where("workflows.id", "!=", except)
    .where("workflow_triggers.type", "=", type)
    .executeTakeFirstOrThrow();
  return Number(triggers);
}

/** A trigger of a published body. */
export type TriggerMark = Pick<IndexedTrigger, "id" | "type" | "schedule" | "timezone"> & {
  workflowId: string;
};

/** The triggers of published workflows, by their ids. */
export async function listTriggersOf(
  db: Db,
  workflowIds: readonly string[],
): Promise<TriggerMark[]> {
  if (workflowIds.length === 0) return [];
  return await toKysely(db)
    .selectFrom("workflow_triggers")
    .select(["workflow_id as workflowId", "trigger_id as id", "type", "schedule", "timezone"])
    .where("workflow_id", "in", workflowIds)
    .orderBy("trigger_id")
    .execute();
}

/** A cron trigger of an enabled workflow. */
export type CronTrigger = {
  workflowId: string;
  triggerId: string;
  schedule: string;
  timezone: string | null;
  catchUp: string | null;
  settledAt: number;
};

/** The cron triggers of all enabled workflows. */
export async function listCronTriggers(db: Db): Promise<CronTrigger[]> {
  return await selectEnabled(db)
    .select([
      "workflow_triggers.workflow_id as workflowId",
      "workflow_triggers.trigger_id as triggerId",
      "workflow_triggers.schedule",
      "workflow_triggers.timezone",
      "workflow_triggers.catch_up as catchUp",
      "workflow_triggers.settled_at as settledAt",
    ])
    .where("workflow_triggers.schedule", "is not", null)
    .$narrowType<{ schedule: string }>()
    .execute();
}

/** The ticks of a trigger up to this time have fired or are skipped. */
export async function completeTicks(
  db: Db,
  { workflowId, triggerId, at }: { workflowId: string; triggerId?: string; at: number },
): Promise<void> {
  let update = toKysely(db)
    .updateTable("workflow_triggers")
    .set({ settled_at: at })
    .where("workflow_id", "=", workflowId)
    .where("settled_at", "<", at);
  if (triggerId !== undefined) update = update.where("trigger_id", "=", triggerId);
  await update.execute();
}

/** A channel trigger of an enabled workflow. */
export type ChannelTrigger = {
  workflowId: string;
  triggerId: string;
  ownerId: string;
  channel: string;
  /** The filters as JSON. */
  match: string | null;
};

/** The triggers of enabled workflows for an event of a channel that has one of these names. */
export async function listChannelTriggers(
  db: Db,
  { channels, event }: { channels: readonly string[]; event: string },
): Promise<ChannelTrigger[]> {
  return await selectEnabled(db)
    .select([
      "workflow_triggers.workflow_id as workflowId",
      "workflow_triggers.trigger_id as triggerId",
      "workflows.owner_id as ownerId",
      "workflow_triggers.channel as channel",
      "workflow_triggers.match_filters as match",
    ])
    .where("workflow_triggers.channel", "in", channels)
    .$narrowType<{ channel: string }>()
    .where("workflow_triggers.event", "=", event)
    .orderBy("workflow_triggers.workflow_id")
    .orderBy("workflow_triggers.trigger_id")
    .execute();
}

export type ErrorTrigger = { workflowId: string; triggerId: string };

/**
 * The error triggers of enabled workflows that a failed run of `workflowId` fires, oldest workflow first.
 * Their owners are active, and own the failed workflow or are admins. Both as they are at this moment, also of service users.
 */
export async function listErrorTriggers(
  db: Db,
  failed: { workflowId: string; ownerId: string; severity: string; limit: number },
): Promise<ErrorTrigger[]> {
  const { workflowId, ownerId, severity, limit } = failed;
  const found = await selectEnabled(db)
    .innerJoin("users", "users.id", "workflows.owner_id")
    .select(["workflow_triggers.workflow_id as workflowId", "trigger_id as triggerId"])
    .select("severities")
    .where("source_workflow", "in", [workflowId, "*"])
    .where("workflows.id", "!=", workflowId)
    .where(sql<boolean>`${sql.raw(effectiveStatus)} = 'active'`)
    .where((owner) =>
      owner.or([
        owner("users.id", "=", ownerId),
        sql<boolean>`${sql.raw(effectiveRole)} = 'admin'`,
      ]),
    )
    .orderBy("workflows.created_at")
    .orderBy("workflows.id")
    .orderBy("trigger_id")
    .execute();
  return found
    .filter((trigger) => matchesSeverity(trigger, severity))
    .slice(0, limit)
    .map(({ workflowId: id, triggerId }) => ({ workflowId: id, triggerId }));
}

function selectEnabled(db: Db) {
  return toKysely(db)
    .selectFrom("workflow_triggers")
    .innerJoin("workflows", "workflows.id", "workflow_triggers.workflow_id")
    .where("workflows.enabled", "=", 1)
    .where("workflows.deleted_at", "is", null);
}

function matchesSeverity(
  { severities }: Pick<Tables["workflow_triggers"], "severities">,
  severity: string,
): boolean {
  if (severities === null) return true;
  const listed: unknown = JSON.parse(severities);
  return Array.isArray(listed) && listed.includes(severity);
}
