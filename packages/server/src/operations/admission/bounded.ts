import { isWithinBounds } from "../../lib/call-bounds.ts";
import { type Gate, hide, pass } from "./gate.ts";

/**
 * The row and the operation are within the bounds of the caller's token. Of a connector that reaches beyond its row, such
 * as `workflow`, bound callers have some operations only.
 */
export const bounded: Gate = (_world, { caller: { bounds }, row, connector, operation }) => {
  if (bounds === undefined) return pass;
  const target = { rowId: row.id, operationKey: operation?.key };
  if (!isWithinBounds(bounds, target)) return hide;
  const allowed = connector?.boundOperations;
  return operation && allowed?.has(operation.key) === false ? hide : pass;
};
