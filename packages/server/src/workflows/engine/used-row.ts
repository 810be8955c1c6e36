import type { RowDirectory } from "../../connectors/row-directory.ts";
import { parseToolId } from "../../operations/tool-id.ts";
import type { UsedRow } from "./run-mask.ts";

/** The row of an operation with its secrets. Null if there is none now. */
export async function findUsedRow(
  { directory }: { directory: RowDirectory },
  toolId: string,
): Promise<UsedRow | null> {
  const address = parseToolId(toolId);
  if (address === null) return null;
  const row = (await directory.current()).find(address.rowId);
  if (row === null) return null;
  try {
    return { rowId: row.id, secrets: row.config().secrets };
  } catch {
    // If a call needs the secrets, it fails with the reason.
    return null;
  }
}
