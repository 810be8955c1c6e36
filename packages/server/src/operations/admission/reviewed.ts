import type { OperationFromRow } from "../../connectors/connector-port.ts";
import { HubError } from "../../errors.ts";
import { type Gate, pass, refuse } from "./gate.ts";

type Review = NonNullable<OperationFromRow["review"]>;

/** An admin has seen what the row's outside system added or changed. */
export const reviewed: Gate = (_world, { path, row, operation }) => {
  const review = operation?.fromRow?.review ?? null;
  if (!operation || review === null || path === "manager") return pass;
  const place = `The operation "${operation.key}" of "${row.label}"`;
  return refuse(new HubError("operation_disabled", describeReview(place, review)));
};

function describeReview(place: string, review: Review): string {
  if (review === "gone") {
    return `${place} is no longer offered by its outside system. Use another tool.`;
  }
  if (review === "invalid") {
    return `${place} is now described by its outside system in a way that the hub cannot use. Ask an admin to look at it, or use another tool.`;
  }
  const reason = review === "new" ? "is new" : "was changed by its outside system";
  return `${place} ${reason} and waits for an admin. Ask an admin to review it, or use another tool.`;
}
