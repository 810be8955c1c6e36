import type { PendingCall } from "./pending-call.ts";
import type { WorkflowApprovalSubject } from "./workflow-approval.ts";

type Names = Pick<WorkflowApprovalSubject, "row_label" | "connector_name" | "operation_name">;

/**
 * What is called, such as `Orders (Shopify): Create order`. Null for a node that calls no operation of a row, and
 * where the names are hidden.
 */
export function describeCalled(names: Names | null): string | null {
  const { row_label: row, connector_name: connector, operation_name: operation } = names ?? {};
  const system = row && connector && row !== connector ? `${row} (${connector})` : (row ?? null);
  if (system === null) return operation ?? null;
  return operation ? `${system}: ${operation}` : system;
}

/** What a call asks, in one line. */
export function describePendingCall({
  user,
  operation_name: name,
}: Pick<PendingCall, "user" | "operation_name">): string {
  return `May ${user} call ${name}?`;
}
