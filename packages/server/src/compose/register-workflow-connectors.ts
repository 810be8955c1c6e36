import { type KeptKeys, toOwnKey } from "../connectors/kept-keys.ts";
import { toolConnectorKey } from "../workflows/as-tools/tool-row.ts";
import { registerWorkflowTools } from "../workflows/as-tools/workflow-tool-connector.ts";
import { registerWorkflowConnector } from "../workflows/authoring-tools/workflow-connector.ts";

type WorkflowToolParts = Parameters<typeof registerWorkflowConnector>[0] &
  Parameters<typeof registerWorkflowTools>[0];

/** Registers the connector that manages workflows, and the one whose rows are workflows as tools. */
export function registerWorkflowConnectors(parts: WorkflowToolParts, keptKeys: KeptKeys): void {
  const workflowKey = toOwnKey(keptKeys, "workflow");
  if (workflowKey !== null) registerWorkflowConnector(parts, workflowKey);
  const toolKey = toOwnKey(keptKeys, toolConnectorKey);
  if (toolKey !== null) registerWorkflowTools(parts, toolKey);
}
