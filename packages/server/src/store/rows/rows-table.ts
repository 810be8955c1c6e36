import { type Db, type Transaction, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { RowAccess } from "../database/tables/account-tables.ts";
import { toFlag } from "../database/tables/flag.ts";
import { resetActivity } from "../runs/row-activity.ts";
import { bumpRevision } from "../settings/revision.ts";
import { ensureTags } from "../tags/tags-table.ts";
import { keepBeginning } from "./row-beginnings.ts";
import { matchesRow, type RowFilter, type RowPage, readRows } from "./row-parts.ts";
import type { RowOwner, RowRecord, RowTests, StoredValue } from "./row-record.ts";
import { writeValues } from "./write-row-values.ts";

export type NewRow = {
  /** A UUID. Sealed values are bound to it. */
  id: string;
  /** Whether `makeRowId` has made the id. Another one is given, or follows from something else. */
  hasMadeId?: boolean;
  connectorKey: string;
  /** That of its connector. Without it, a start of the hub decides. */
  owner?: RowOwner | null;
  label: string;
  description: string;
  tags: readonly string[];
  /** The default is `admins`. */
  tests?: RowTests;
  /** The default is `shared`. */
  access?: RowAccess | undefined;
  values: readonly StoredValue[];
  createdAt: number;
  /** Of a channel. Unique over all rows. */
  slug?: string | null;
};

export type RowChange = {
  label?: string;
  description?: string;
  disabled?: boolean;
  tests?: RowTests;
  access?: RowAccess;
  slug?: string;
};

export function insertRow(db: Db, row: NewRow): Promise<RowRecord> {
  return transaction(db, async (trx) => {
    const { id, label, description, createdAt } = row;
    await keepBeginning(trx, id, { isMade: row.hasMadeId === true });
    await toKysely(trx)
      .insertInto("connector_rows")
      .values({
        id,
        connector_key: row.connectorKey,
        owner: row.owner ?? null,
        label,
        description,
        disabled: 0,
        tests: row.tests ?? "admins",
        access: toAccessColumn(row.access),
        version: 1,
        created_at: createdAt,
        updated_at: createdAt,
        slug: row.slug ?? null,
      })
      .execute();
    await linkTags(trx, id, row.tags, createdAt);
    await writeValues(trx, id, row.values);
    await bumpRevision(trx);
    const inserted = await findRow(trx, id);
    if (inserted === null)
      throw new Error(`The row ${id} disappeared right after it was inserted.`);
    return inserted;
  });
}

export async function findRow(db: Db, id: string): Promise<RowRecord | null> {
  const [row] = await readRows(db, { id });
  return row ?? null;
}

/** Oldest first. */
export function listRows(
  db: Db,
  filter: Pick<RowFilter, "connectorKey" | "ids"> = {},
): Promise<RowRecord[]> {
  return readRows(db, filter);
}

/** The channels, oldest first. */
export function listChannelRows(
  db: Db,
  filter: Pick<RowFilter, "taggedAmong"> = {},
): Promise<RowRecord[]> {
  return readRows(db, { ...filter, isChannel: true });
}

/** One page of rows, oldest first. */
export function listRowPage(db: Db, filter: RowFilter, page: RowPage): Promise<RowRecord[]> {
  return readRows(db, filter, page);
}

/** The number of rows of each connector, by its key; connectors without rows are left out. */
export async function countRowsByConnector(
  db: Db,
  filter: RowFilter = {},
): Promise<ReadonlyMap<string, number>> {
  const counts = await toKysely(db)
    .selectFrom("connector_rows")
    .select((row) => ["connector_key", row.fn.countAll<number>().as("rows")])
    .where((row) => matchesRow(row, filter))
    .groupBy("connector_key")
    .execute();
  return new Map(counts.map(({ connector_key, rows }) => [connector_key, Number(rows)]));
}

/** The row with this slug. */
export async function findRowBySlug(db: Db, slug: string): Promise<RowRecord | null> {
  const [row] = await readRows(db, { slug });
  return row ?? null;
}

/** The slugs that begin with this text. */
export async function listSlugs(db: Db, beginning: string): Promise<string[]> {
  const rows = await toKysely(db)
    .selectFrom("connector_rows")
    .select("slug")
    .where("slug", ">=", beginning)
    // Slugs are made of letters, digits and hyphens, which sort before this character.
    .where("slug", "<", `${beginning}~`)
    .$narrowType<{ slug: string }>()
    .execute();
  return rows.map(({ slug }) => slug);
}

function toAccessColumn(access: RowAccess = "shared"): Exclude<RowAccess, "shared"> | null {
  return access === "shared" ? null : access;
}

/** Null if the row does not exist. */
export function updateRow(
  db: Db,
  id: string,
  change: RowChange,
  at: number,
): Promise<RowRecord | null> {
  return transaction(db, async (trx) => {
    const { label, description, disabled, tests, access, slug } = change;
    await toKysely(trx)
      .updateTable("connector_rows")
      .set({
        label,
        description,
        tests,
        access: access === undefined ? undefined : toAccessColumn(access),
        slug,
        disabled: disabled === undefined ? undefined : toFlag(disabled),
      })
      .where("id", "=", id)
      .execute();
    return (await touchRow(trx, id, at)) ? findRow(trx, id) : null;
  });
}

/** Deletes the row with its values, tags and states; its runs stay. False if it does not exist. */
export function deleteRow(db: Db, id: string): Promise<boolean> {
  return transaction(db, async (trx) => {
    const { numDeletedRows } = await toKysely(trx)
      .deleteFrom("connector_rows")
      .where("id", "=", id)
      .executeTakeFirst();
    if (numDeletedRows === 0n) return false;
    // A server of the version before may have made the row.
    await keepBeginning(trx, id, { isMade: false });
    await bumpRevision(trx);
    return true;
  });
}

/** False if the row does not exist. */
export function setRowTags(
  db: Db,
  id: string,
  names: readonly string[],
  at: number,
): Promise<boolean> {
  return transaction(db, async (trx) => {
    if (!(await touchRow(trx, id, at))) return false;
    await toKysely(trx).deleteFrom("row_tags").where("row_id", "=", id).execute();
    await linkTags(trx, id, names, at);
    return true;
  });
}

/**
 * Sets the given values and leaves the others; one with neither `value` nor `sealed` is removed.
 * False if the row does not exist.
 */
export function putRowValues(
  db: Db,
  id: string,
  values: readonly StoredValue[],
  at: number,
): Promise<boolean> {
  return transaction(db, async (trx) => {
    if (!(await touchRow(trx, id, at))) return false;
    await writeValues(trx, id, values);
    await resetActivity(trx, id, at);
    return true;
  });
}

/** A stored secret, and the same secret sealed again. */
export type ResealedValue = { rowId: string; key: string; from: Uint8Array; to: Uint8Array };

/** Replaces stored secrets, but not those that changed since they were read; returns their number. */
export async function replaceSealedValues(
  trx: Transaction,
  values: readonly ResealedValue[],
  at: number,
): Promise<number> {
  let replaced = 0;
  const rowIds = new Set<string>();
  for (const { rowId, key, from, to } of values) {
    const { numUpdatedRows } = await toKysely(trx)
      .updateTable("row_values")
      .set({ sealed: to })
      .where("row_id", "=", rowId)
      .where("field_key", "=", key)
      .where("sealed", "=", from)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) continue;
    replaced += 1;
    rowIds.add(rowId);
  }
  for (const rowId of rowIds) await touchRow(trx, rowId, at);
  return replaced;
}

/** Increments the version of a row. False if the row does not exist. */
export async function touchRow(trx: Transaction, id: string, at: number): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(trx)
    .updateTable("connector_rows")
    .set((row) => ({ version: row("version", "+", 1), updated_at: at }))
    .where("id", "=", id)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await bumpRevision(trx);
  return true;
}

async function linkTags(
  trx: Transaction,
  rowId: string,
  names: readonly string[],
  at: number,
): Promise<void> {
  const tags = await ensureTags(trx, names, at);
  if (tags.length === 0) return;
  const links = tags.map((tag) => ({ row_id: rowId, tag_id: tag.id }));
  await toKysely(trx).insertInto("row_tags").values(links).execute();
}
