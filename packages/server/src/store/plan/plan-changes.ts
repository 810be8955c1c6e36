import { HubError } from "../../errors.ts";
import { connectionKey } from "../database/connection.ts";
import { type Db, type Transaction, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { mergeInserts } from "../database/merge-inserts.ts";
import { toFirstId } from "../database/timed-ids.ts";
import { findSetting } from "../settings/settings-table.ts";
import { keysVersionSetting } from "../settings/store-secrets.ts";
import type { PreparedStatement } from "./plan-dialect.ts";

/** What a plan would write, and what it has read. */
export type ChangePlan<T> = StoredPlan & { result: T };

/** What `storePlan` needs of a plan. It can be sent to another process. */
export type StoredPlan = {
  statements: readonly PreparedStatement[];
  read: Revisions;
};

type Revisions = {
  /** Epoch ms. Older changes are not compared one by one. */
  since: number;
  revision: number;
  keysVersion: string | null;
  /** The ids of the changes since then. */
  changes: ReadonlySet<string>;
};

/** One change that a plan does not know. */
type NewChange = {
  id: string;
  action: string;
  kind: string;
  targetId: string;
  target: string;
  actor: string;
};

/** A change is stamped before its transaction, and recorded when that commits. */
const commitMsMax = 10 * 60_000;
/** Of machines of one hub. */
const clockDifferenceMsMax = 24 * 3_600_000;

/**
 * Runs `change` as in a transaction, but stores nothing: it sees its own writes, no other writer waits
 * for it, and it may take its time, also for clocks, random numbers and keys. `storePlan` stores what it
 * wrote. `now` is epoch ms of the shared clock.
 */
export async function planChanges<T>(
  db: Db,
  now: number,
  change: (trx: Transaction) => Promise<T>,
): Promise<ChangePlan<T>> {
  const connection = db[connectionKey];
  const { result, statements } = await connection.plan(async (kysely) => {
    const trx: Transaction = { [connectionKey]: { ...connection, kysely, isTransaction: true } };
    const read = await readRevisions(trx, now - commitMsMax);
    return { read, result: await change(trx) };
  });
  return { ...result, statements: mergeInserts(statements) };
}

/**
 * Stores everything that a plan wrote, in one short transaction, or nothing. Throws `conflict` if the
 * configuration has changed since the plan; its member `changed` says what did.
 */
export async function storePlan(db: Db, { statements, read }: StoredPlan): Promise<void> {
  if (statements.length === 0) return;
  await transaction(db, async (trx) => {
    await checkRevisions(trx, read);
    await trx[connectionKey].runAll(toKysely(trx), statements);
  });
}

async function readRevisions(trx: Transaction, since: number): Promise<Revisions> {
  const changes = await listChangesSince(trx, since);
  return {
    since,
    revision: await readRevision(trx),
    keysVersion: await findSetting(trx, keysVersionSetting),
    changes: new Set(changes.map(({ id }) => id)),
  };
}

async function checkRevisions(trx: Transaction, read: Revisions): Promise<void> {
  const changes = await listChangesSince(trx, read.since);
  const changed = changes.filter(({ id }) => !read.changes.has(id));
  const isSame =
    changed.length === 0 &&
    (await readRevision(trx)) === read.revision &&
    (await findSetting(trx, keysVersionSetting)) === read.keysVersion;
  if (isSame) return;
  throw new HubError("conflict", describe(changed), {
    detail: {
      changed: changed.slice(0, shownMax).map(({ kind, targetId, target, action, actor }) => ({
        kind,
        id: targetId,
        name: target,
        action,
        actor,
      })),
    },
  });
}

const shownMax = 20;

function describe(changed: readonly NewChange[]): string {
  const [first] = changed;
  const what =
    first === undefined
      ? "The configuration has changed"
      : `The ${first.kind} "${first.target}" has changed (${first.action} by ${first.actor})`;
  const others = changed.length > 1 ? `, and there are ${changed.length - 1} other changes` : "";
  return `${what} since this was planned${others}. So nothing was stored. Check what has changed, then run it again.`;
}

async function readRevision(trx: Transaction): Promise<number> {
  const { value } = await toKysely(trx)
    .selectFrom("revision")
    .select("value")
    .executeTakeFirstOrThrow();
  return Number(value);
}

/** Kinds of changes of which a plan reads nothing. */
const unread = ["token", "session", "application", "chat_account"];

/** Newest first. */
async function listChangesSince(trx: Transaction, since: number): Promise<NewChange[]> {
  return await toKysely(trx)
    .selectFrom("changes")
    .select(["id", "action", "target_kind as kind", "target_id as targetId", "target", "actor"])
    .where("id", ">=", toFirstId(since - clockDifferenceMsMax))
    .where("changed_at", ">=", since)
    .where("target_kind", "not in", unread)
    .orderBy("id", "desc")
    .execute();
}
