import { ownKeyPrefix } from "@hub/contract/reserved-keys.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";

/** The key of the connector whose rows are workflows. */
export const toolConnectorKey = "workflow_tool";

/** The only operation of such a row. */
export const toolOperationKey = "run";

/** The field of such a row with the id of its workflow. */
export const toolWorkflowField = "workflow";

/** The namespace of the ids of rows. Version 5 of UUIDs is a hash. */
const toolRows = "3d6b0f6e-5c1a-4b8b-9d52-0b6f1a7c9e34";

/**
 * The id of the row of a workflow. It follows from the workflow's id, which is never given again, so that
 * the tool id stays the same when a workflow is offered once more.
 */
export function toToolRowId(workflowId: string): string {
  return Bun.randomUUIDv5(workflowId, toolRows);
}

/** Where a plugin has the first one, the connector has the other. */
const toolKeys: readonly string[] = [toolConnectorKey, `${ownKeyPrefix}${toolConnectorKey}`];

/** The workflow that the operation of a row starts. Null for rows of other connectors. */
export function findToolWorkflow({
  connectorKey,
  owner,
  values,
}: Pick<RowRecord, "connectorKey" | "owner" | "values">): string | null {
  if (!toolKeys.some((key) => key === connectorKey) || owner === "plugin") return null;
  return values.find(({ key }) => key === toolWorkflowField)?.value ?? null;
}
