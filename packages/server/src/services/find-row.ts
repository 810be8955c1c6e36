import { suggest } from "@hub/connector";
import { HubError } from "../errors.ts";
import { listRows, type RowRecord } from "../store/rows.ts";
import type { Db } from "../store/tables.ts";
import { findByIdPrefix } from "./find-by-id-prefix.ts";

/**
 * The row that a person named: by id, by the beginning of an id, or by its exact label.
 * Throws `not_found` with the label it resembles, `conflict` when several rows fit.
 */
export async function findRowByName(db: Db, typed: string): Promise<RowRecord> {
  const rows = await listRows(db);
  const exact = rows.find((row) => row.id === typed.trim().toLowerCase());
  if (exact !== undefined) return exact;
  // A label is looked for before a beginning of an id: it is what a person would rather type.
  const labelled = rows.filter((row) => row.label === typed);
  if (labelled.length > 1) {
    const ids = labelled.map((row) => row.id).join(", ");
    throw new HubError("conflict", `Several rows have the label "${typed}": ${ids}. Give an id.`);
  }
  const found = labelled[0] ?? findByIdPrefix(rows, typed);
  if (found !== null) return found;
  const labels = rows.map((row) => row.label);
  throw new HubError(
    "not_found",
    `There is no row "${typed}".${suggest(typed, labels) || " List the rows for their ids and labels."}`,
  );
}
