import type { SecretLocation } from "./at-rest.ts";

/** A workflow's secret is sealed for the workflow and its name, and opens nowhere else. */
export function toWorkflowSecretLocation(workflowId: string, name: string): SecretLocation {
  return { table: "workflow_secrets", row: workflowId, field: name };
}
