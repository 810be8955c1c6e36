import type { HubFileWorkflow } from "@hub/contract/hub-file.ts";
import type { ValuePath } from "../../lib/yaml/find-position.ts";
import { listRows } from "../../store/rows/rows-table.ts";
import { findOtherRow, listCalledIds } from "../../workflows/definition/called-rows.ts";
import type { ApplyContext } from "./apply-context.ts";

/** Throws if a node calls a row that is of other code here. */
export async function checkCalledRows(
  { deps, refuse }: ApplyContext,
  place: ValuePath,
  { body, draft, rows = {} }: HubFileWorkflow,
): Promise<void> {
  for (const of of [body, draft]) {
    const ids = listCalledIds([of]).filter((id) => rows[id] !== undefined);
    const present = ids.length === 0 ? [] : await listRows(deps.store.db, { ids });
    const other = findOtherRow(deps.registry, { body: of, rows }, present);
    if (other === null) continue;
    throw refuse([...place, "rows", other.rowId], other.message);
  }
}
