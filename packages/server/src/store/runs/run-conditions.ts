import { type Expression, type ExpressionBuilder, type SqlBool, sql } from "kysely";
import type { CallBounds } from "../../lib/call-bounds.ts";
import type { Tables } from "../database/tables.ts";

/** Builds conditions on runs. */
export type Runs = ExpressionBuilder<Tables, "connector_runs">;

/** Operations whose runs only their own user sees, and this user. */
export type OthersLeftOut = { operationKeys: readonly string[]; userId: string };

/** One of the calls of a message or a script. The same text as in the partial index: SQLite uses it only for that. */
export const isInner = sql<SqlBool>`cause_kind in ('batch', 'script')`;
export const isNotInner = sql<SqlBool>`(cause_kind is null or cause_kind not in ('batch', 'script'))`;

/** The meta-tool that makes several calls at a time. Its record of one call is that of the call. */
export const messageTool = "hub_read";

/** No message of several calls, which are runs of their own. */
export const isNoMessage = sql<SqlBool>`(operation_key <> ${messageTool} or connector_id is not null)`;

/** The opposite, of a run that was read. */
export function isMessage({
  operationKey,
  connectorId,
}: {
  operationKey: string;
  connectorId: string | null;
}): boolean {
  return operationKey === messageTool && connectorId === null;
}

/** Without the runs of some operations that other users made. */
export function isNotOfOthers(
  runs: Runs,
  { operationKeys, userId }: OthersLeftOut,
): Expression<SqlBool> {
  return runs.or([runs("operation_key", "not in", operationKeys), runs("user_id", "=", userId)]);
}

/** Read for each run: with `in`, PostgreSQL joins and sorts all runs of the scan. */
export function isOfConnector(runs: Runs, key: string): Expression<SqlBool> {
  const ofRow = runs
    .selectFrom("connector_rows")
    .select("connector_key")
    .whereRef("connector_rows.id", "=", "connector_runs.connector_id");
  return runs(ofRow, "=", key);
}

/** Of rows that have one of these tags, or of none. */
export function isTaggedAmong(runs: Runs, names: readonly string[]): Expression<SqlBool> {
  // Without a label, the row did not exist for the caller, whatever id was requested.
  const reachedNone = [runs("connector_id", "is", null), runs("row_label", "is", null)];
  // PostgreSQL takes no empty list.
  if (names.length === 0) return runs.or(reachedNone);
  const tagged = runs
    .selectFrom("row_tags")
    .innerJoin("tags", "tags.id", "row_tags.tag_id")
    .select("row_tags.row_id")
    .where("tags.name", "in", names);
  return runs.or([...reachedNone, runs("connector_id", "in", tagged)]);
}

/** Of the rows and the operations that the bounds name. */
export function isWithin(
  runs: Runs,
  { rows = [], operations = [] }: CallBounds,
): Expression<SqlBool> {
  const ofRows = rows.map((id) => runs("connector_id", "=", id));
  const ofOperations = operations.map((toolId) => {
    const [rowId = "", key = ""] = toolId.slice("conn:".length).split("/");
    return runs.and([runs("connector_id", "=", rowId), runs("operation_key", "=", key)]);
  });
  // Without any, it is false.
  return runs.or([...ofRows, ...ofOperations]);
}
