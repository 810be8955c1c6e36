import { createHash } from "node:crypto";
import type { RowRecord } from "../../store/row-record.ts";

/** The key of the connector whose rows are workflows. */
export const toolConnectorKey = "workflow_tool";

/** The only operation of such a row. */
export const toolOperationKey = "run";

/** The field of such a row with the id of its workflow. */
export const toolWorkflowField = "workflow";

/**
 * The id of the row of a workflow. It follows from the workflow's id, which is never given again, so that
 * the tool id stays the same when a workflow is offered once more.
 */
export function toToolRowId(workflowId: string): string {
  return toUuid(`${toolConnectorKey} ${workflowId}`);
}

/** The workflow that the operation of a row starts. Null for rows of other connectors. */
export function findToolWorkflow({
  connectorKey,
  values,
}: Pick<RowRecord, "connectorKey" | "values">): string | null {
  if (connectorKey !== toolConnectorKey) return null;
  return values.find(({ key }) => key === toolWorkflowField)?.value ?? null;
}

/** A UUID that follows from a text (version 8 of RFC 9562). */
export function toUuid(text: string): string {
  const bytes = createHash("sha256").update(text).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}
