import type { Caller } from "../../caller.ts";
import { isVisible } from "../../connectors/rows/row-visibility.ts";
import { HubError } from "../../errors.ts";
import type { Db } from "../../store/database/database.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { findRow } from "../../store/rows/rows-table.ts";

/** The row with this id. Throws `not_found`. */
export async function loadRow(db: Db, id: string): Promise<RowRecord> {
  const row = await findRow(db, id.toLowerCase());
  if (row === null) throw toMissing();
  return row;
}

/** The same for a caller. Throws `not_found` also for a row that the caller does not see. */
export async function loadVisibleRow(db: Db, caller: Caller, id: string): Promise<RowRecord> {
  const row = await findRow(db, id.toLowerCase());
  if (row === null || !isVisible(caller, row)) throw toMissing();
  return row;
}

function toMissing(): HubError {
  return new HubError("not_found", "There is no such row.");
}
