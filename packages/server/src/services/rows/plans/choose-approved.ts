import { toBadRequest } from "../../../lib/input/check-input.ts";
import type { StoredOperation } from "../../../store/rows/row-operations-table.ts";

/**
 * The keys of the operations that are approved. Those with warnings are approved only by their keys: an
 * admin must have looked at each.
 */
export function chooseApproved(
  operations: readonly StoredOperation[],
  warned: ReadonlyMap<string, unknown>,
  approve: "reads" | "all" | readonly string[],
): ReadonlySet<string> {
  if (typeof approve === "string") {
    const isChosen = ({ key, definition }: StoredOperation) =>
      !warned.has(key) && (approve === "all" || !definition.destructive);
    return new Set(operations.filter(isChosen).map(({ key }) => key));
  }
  const known = new Set(operations.map(({ key }) => key));
  const unknown = approve.find((key) => !known.has(key));
  if (unknown === undefined) return new Set(approve);
  const message = `names "${unknown.slice(0, 100)}", which is not an operation of the plan.`;
  throw toBadRequest([{ path: "approve", message }]);
}
