import type { PendingCall } from "./pending-call.ts";
import type { WorkflowApprovalSubject } from "./workflow-approval.ts";

type Names = Pick<
  WorkflowApprovalSubject,
  "row_label" | "connector_name" | "operation_name" | "type" | "target" | "target_name"
>;

/**
 * What an approval acts on, such as `Orders (Shopify): Create order`, `POST api.example.com` or `the workflow Refunds`.
 * Null where the names are hidden, and for a node that only its own fields describe.
 */
export function describeActsOn(names: Names | null): string | null {
  if (names === null) return null;
  const { type, target, target_name: name } = names;
  if (type === "http" && target) return name ? `${target} ${name}` : target;
  if (type === "workflow" && name) return `the workflow ${name}`;
  return describeCalled(names);
}

/**
 * The operation that is called, such as `Orders (Shopify): Create order`. Null for a node that calls no operation of a
 * row, and where the names are hidden.
 */
export function describeCalled(
  names: Pick<Names, "row_label" | "connector_name" | "operation_name">,
): string | null {
  const { row_label: row, connector_name: connector, operation_name: operation } = names;
  const system = row && connector && row !== connector ? `${row} (${connector})` : row;
  if (system === null) return operation;
  return operation ? `${system}: ${operation}` : system;
}

/** What a call asks, in one line. */
export function describePendingCall({
  user,
  operation_name: name,
  reason,
}: Pick<PendingCall, "user" | "operation_name" | "reason">): string {
  switch (reason) {
    case "approval":
      return `May ${user} call ${name}?`;
    case "account":
      return `${user} must connect an account to call ${name}`;
    case "input":
      return `${name} asks ${user} for more`;
    case "running":
      return `${user} calls ${name}`;
  }
}
