import { toMarkedFor } from "../../../connectors/by-row/marked-operations.ts";
import type { ConnectorRegistry } from "../../../connectors/registry.ts";
import type { Transaction } from "../../../store/database/database.ts";
import {
  listRowOperations,
  replaceRowOperations,
} from "../../../store/rows/row-operations-table.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import { loadRow } from "../load-row.ts";
import { withMark } from "./change-operations.ts";

type Change = {
  /** The row as it was before its new values. */
  before: RowRecord;
  operationsId: string;
  at: number;
};

/**
 * Removes the marks of a row whose calls go to another place than before, so that they do not come back with the old place. Returns
 * how many were removed.
 */
export async function dropMarks(
  trx: Transaction,
  registry: Pick<ConnectorRegistry, "find">,
  { before, operationsId, at }: Change,
): Promise<number> {
  const connector = registry.find(before.connectorKey);
  if (connector?.markedFor === undefined) return 0;
  const row = await loadRow(trx, before.id);
  if (toMarkedFor(connector, before) === toMarkedFor(connector, row)) return 0;
  const stored = await listRowOperations(trx, row.id);
  const lost = stored.filter(({ reads }) => reads === true).length;
  if (lost === 0) return 0;
  const isOwn = row.operationsId !== null;
  // Of operations that a connector defines, only the marks are stored.
  const operations = isOwn ? stored.map((one) => withMark(one, false)) : [];
  const given = { operationsId: isOwn ? operationsId : null, before: stored, operations };
  await replaceRowOperations(trx, row.id, given, at);
  return lost;
}
