import { findReview } from "../../../connectors/by-row/row-operation.ts";
import type { StoredOperation } from "../../../store/rows/row-operations-table.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";

/** Whether an admin has put a new operation aside: it was disabled before it was approved. */
export function isHidden(
  { operationStates }: Pick<RowRecord, "operationStates">,
  operation: StoredOperation,
): boolean {
  return findReview(operation) === "new" && operationStates[operation.key] === false;
}
