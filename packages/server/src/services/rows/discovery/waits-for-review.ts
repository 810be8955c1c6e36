import type { OperationFromRow } from "../../../connectors/connector-port.ts";

/** Whether an operation waits for an admin: it has changed, or it is new and was not hidden, which disables it. */
export function waitsForReview(
  review: OperationFromRow["review"] | undefined,
  isEnabled: boolean,
): boolean {
  return review === "changed" || (review === "new" && isEnabled);
}
