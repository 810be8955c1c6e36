import type { ExpressionBuilder, Selectable } from "kysely";
import type { Db } from "../database/database.ts";
import { inSnapshot } from "../database/kysely.ts";
import { tableColumns } from "../database/table-columns.ts";
import type { Tables } from "../database/tables.ts";
import type { RowRecord } from "./row-record.ts";

/** The stored parts of rows; `tags` in alphabetical order. */
export type RowParts = {
  rows: ReadonlyArray<Selectable<Tables["connector_rows"]>>;
  tags: ReadonlyArray<{ row_id: string; name: string }>;
  values: ReadonlyArray<Tables["row_values"]>;
  states: ReadonlyArray<Tables["operation_states"]>;
};

export type RowFilter = {
  id?: string;
  /** At most a few hundred. */
  ids?: readonly string[];
  connectorKey?: string;
  slug?: string;
  /** Only rows with a slug. */
  isChannel?: true;
  /** Only rows with one of these tags. */
  taggedAmong?: readonly string[] | undefined;
  /** Only rows with none of these tags. */
  taggedNoneOf?: readonly string[] | undefined;
};

export type RowPage = {
  /** Only rows after this one, in the order of creation. */
  after?: { createdAt: number; id: string } | undefined;
  limit: number;
};

/** Oldest first. */
export function readRows(db: Db, filter: RowFilter, page?: RowPage): Promise<RowRecord[]> {
  return inSnapshot(db, async (kysely) => {
    let rows = kysely
      .selectFrom("connector_rows")
      .where((row) => matchesRow(row, filter))
      .orderBy("created_at")
      .orderBy("id");
    if (page !== undefined) rows = rows.where((row) => isAfter(row, page)).limit(page.limit);
    const ids = rows.select("id");
    return toRowRecords({
      rows: await rows.select(tableColumns.connector_rows).execute(),
      tags: await kysely
        .selectFrom("row_tags")
        .innerJoin("tags", "tags.id", "tag_id")
        .select(["row_id", "name"])
        .where("row_id", "in", ids)
        .orderBy("name")
        .execute(),
      values: await kysely
        .selectFrom("row_values")
        .select(tableColumns.row_values)
        .where("row_id", "in", ids)
        .orderBy("row_id")
        .orderBy("field_key")
        .execute(),
      states: await kysely
        .selectFrom("operation_states")
        .select(tableColumns.operation_states)
        .where("row_id", "in", ids)
        .execute(),
    });
  });
}

export function toRowRecords(parts: RowParts): RowRecord[] {
  const records = new Map<string, RowRecord>();
  for (const row of parts.rows) {
    records.set(row.id, {
      id: row.id,
      connectorKey: row.connector_key,
      owner: row.owner,
      label: row.label,
      description: row.description,
      disabled: row.disabled === 1,
      tests: row.tests,
      access: row.access ?? "shared",
      version: row.version,
      tags: [],
      values: [],
      // Operation keys are stored text, such as `__proto__`, which must be an ordinary key.
      operationStates: Object.create(null),
      createdAt: row.created_at,
      updatedAt: row.updated_at,
      slug: row.slug,
      operationsId: row.operations_id,
      connectionId: row.connection_id,
    });
  }
  for (const tag of parts.tags) records.get(tag.row_id)?.tags.push(tag.name);
  for (const { row_id, field_key, value, sealed } of parts.values) {
    records.get(row_id)?.values.push({ key: field_key, value, sealed });
  }
  for (const state of parts.states) {
    const record = records.get(state.row_id);
    if (record !== undefined) record.operationStates[state.operation_key] = state.enabled === 1;
  }
  return [...records.values()];
}

type RowExpressions = ExpressionBuilder<Tables, "connector_rows">;

export function matchesRow(row: RowExpressions, filter: RowFilter) {
  const conditions = [];
  if (filter.id !== undefined) conditions.push(row("id", "=", filter.id));
  if (filter.ids !== undefined) conditions.push(isAmong(row, filter.ids));
  if (filter.slug !== undefined) conditions.push(row("slug", "=", filter.slug));
  if (filter.isChannel) conditions.push(row("slug", "is not", null));
  if (filter.connectorKey !== undefined) {
    conditions.push(row("connector_key", "=", filter.connectorKey));
  }
  const { taggedAmong, taggedNoneOf } = filter;
  if (taggedAmong !== undefined) {
    conditions.push(row("connector_rows.id", "in", selectTagged(row, taggedAmong)));
  }
  if (taggedNoneOf !== undefined) {
    conditions.push(row("connector_rows.id", "not in", selectTagged(row, taggedNoneOf)));
  }
  return row.and(conditions);
}

/** The ids of the rows with one of these tags. */
function selectTagged(row: RowExpressions, tags: readonly string[]) {
  return row
    .selectFrom("row_tags")
    .innerJoin("tags", "tags.id", "row_tags.tag_id")
    .select("row_tags.row_id")
    .where("tags.name", "in", tags);
}

function isAmong(row: RowExpressions, ids: readonly string[]) {
  return ids.length === 0 ? row.or([]) : row("connector_rows.id", "in", ids);
}

function isAfter(row: RowExpressions, { after }: RowPage) {
  if (after === undefined) return row.and([]);
  const { createdAt, id } = after;
  return row.or([
    row("created_at", ">", createdAt),
    row.and([row("created_at", "=", createdAt), row("id", ">", id)]),
  ]);
}
