import type { RowDirectory } from "../../../connectors/rows/row-directory.ts";
import { parseToolId } from "../../../operations/catalogue/tool-id.ts";
import { noRowId } from "../../../secrets/value-tokens/no-row-id.ts";
import type { UsedRow } from "./run-mask.ts";

/**
 * The row of an operation with those of its secrets that nobody can guess. Null if there is none now. What a row's
 * call returns is sealed by the call. Everything else in a run is what its sender or owner wrote, where a token
 * in the place of a right guess would confirm it: a run may have millions of guesses.
 */
export async function findUsedRow(
  { directory }: { directory: RowDirectory },
  toolId: string,
): Promise<UsedRow | null> {
  const address = parseToolId(toolId);
  if (address === null) return null;
  const row = (await directory.current()).find(address.rowId);
  if (row === null) return null;
  await row.prepare?.();
  try {
    const rowId = row.isManaged === true ? noRowId : row.id;
    return { rowId, secrets: row.config().secrets.strong() };
  } catch {
    // If a call needs the secrets, it fails with the reason.
    return null;
  }
}
