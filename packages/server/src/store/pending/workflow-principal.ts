import type { PendingCall } from "./pending-call-record.ts";

/** What the principal of a call begins with that a run of a workflow makes; the id of the run follows. */
export const workflowPrefix = "workflow:";

/** The run of a workflow that makes a call. Null for calls of clients. */
export function findWorkflowRunId({ principal }: Pick<PendingCall, "principal">): string | null {
  return principal.startsWith(workflowPrefix) ? principal.slice(workflowPrefix.length) : null;
}
