import type { Db, Transaction } from "./database/database.ts";
import { toKysely } from "./database/kysely.ts";
import { tableColumns } from "./database/table-columns.ts";
import type { Tables } from "./database/tables.ts";
import { toFirstId } from "./database/timed-ids.ts";
import { isFollowedSave } from "./draft-saves.ts";

/** One change of the hub. */
export type ChangeRecord = {
  id: string;
  changedAt: number;
  actorId: string;
  /** E-mail of the actor at that time. */
  actor: string;
  via: string;
  tokenId: string | null;
  ipAddress: string | null;
  /** Noun and verb, such as `row.update`. */
  action: string;
  targetKind: string;
  targetId: string;
  /** Its name at that time: a label, an e-mail, a name. */
  target: string;
  /** JSON text, never with a secret. */
  detail: string;
};

export type ChangeFilter = {
  actorId?: string;
  action?: string;
  targetKind?: string;
  targetId?: string;
  /** Only changes of users and of rules: what can make a person an approver. */
  isOfDeciders?: boolean;
  /** Only changes made at this time or later; epoch ms. */
  changedFrom?: number;
  /** Only changes made before this time; epoch ms. */
  changedBefore?: number;
  /** Only changes older than the one with this id. */
  before?: string;
  /** Of saves of a draft that follow each other, only the newest one: see `isFollowedSave`. */
  isGrouped?: boolean;
  limit: number;
};

/**
 * An id contains the time of the machine that made the change, and the index of ids is searched by it. The
 * time of the change is of the shared clock.
 */
const clockDifferenceMsMax = 24 * 3_600_000;

/** Part of the transaction of the change, so that neither is stored without the other. */
export async function insertChange(trx: Transaction, change: ChangeRecord): Promise<void> {
  await toKysely(trx)
    .insertInto("changes")
    .values({
      id: change.id,
      changed_at: change.changedAt,
      actor_id: change.actorId,
      actor: change.actor,
      via: change.via,
      token_id: change.tokenId,
      ip_address: change.ipAddress,
      action: change.action,
      target_kind: change.targetKind,
      target_id: change.targetId,
      target: change.target,
      detail: change.detail,
    })
    .execute();
}

/** Newest first. */
export async function listChanges(db: Db, filter: ChangeFilter): Promise<ChangeRecord[]> {
  const { limit } = filter;
  if (filter.isGrouped === true) return await listGrouped(db, filter);
  const changes = await selectChanges(db, filter)
    .select(tableColumns.changes)
    .limit(limit)
    .execute();
  return changes.map(toChange);
}

/** Changes that are looked at in one statement, which blocks the event loop: some 10 ms. */
const groupedAtOnce = 1_000;

async function listGrouped(db: Db, filter: ChangeFilter): Promise<ChangeRecord[]> {
  const { changedBefore, limit } = filter;
  const found: ChangeRecord[] = [];
  let { before } = filter;
  for (;;) {
    const rest = selectChanges(db, { ...filter, ...(before !== undefined && { before }) });
    const end = await rest
      .select("id")
      .limit(1)
      .offset(groupedAtOnce - 1)
      .executeTakeFirst();
    let part = rest
      .select(tableColumns.changes)
      .where((change) => change.not(isFollowedSave(change, { changedBefore })))
      .limit(limit - found.length);
    if (end !== undefined) part = part.where("id", ">=", end.id);
    found.push(...(await part.execute()).map(toChange));
    if (end === undefined || found.length >= limit) return found;
    before = end.id;
    // Lets other requests run between two parts.
    await Bun.sleep(0);
  }
}

function selectChanges(db: Db, filter: ChangeFilter) {
  const { actorId, action, targetKind, targetId, before, changedFrom, changedBefore } = filter;
  let query = toKysely(db).selectFrom("changes").orderBy("id", "desc");
  if (actorId !== undefined) query = query.where("actor_id", "=", actorId);
  if (action !== undefined) query = query.where("action", "=", action);
  if (targetKind !== undefined) query = query.where("target_kind", "=", targetKind);
  if (targetId !== undefined) query = query.where("target_id", "=", targetId);
  if (filter.isOfDeciders === true) {
    query = query.where((change) =>
      change.or([change("target_kind", "=", "user"), change("action", "like", "rule.%")]),
    );
  }
  if (changedFrom !== undefined) {
    query = query
      .where("changed_at", ">=", changedFrom)
      .where("id", ">=", toFirstId(changedFrom - clockDifferenceMsMax));
  }
  if (changedBefore !== undefined) {
    query = query
      .where("changed_at", "<", changedBefore)
      .where("id", "<", toFirstId(changedBefore + clockDifferenceMsMax));
  }
  if (before !== undefined) query = query.where("id", "<", before);
  return query;
}

function toChange(change: Tables["changes"]): ChangeRecord {
  return {
    id: change.id,
    changedAt: change.changed_at,
    actorId: change.actor_id,
    actor: change.actor,
    via: change.via,
    tokenId: change.token_id,
    ipAddress: change.ip_address,
    action: change.action,
    targetKind: change.target_kind,
    targetId: change.target_id,
    target: change.target,
    detail: change.detail,
  };
}
