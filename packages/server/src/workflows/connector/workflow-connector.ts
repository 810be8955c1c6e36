import { defineConnectorWith } from "@hub/connector";
import type { OperationDeps } from "./define-operation.ts";
import { defineWorkflowCancel } from "./operations/workflow-cancel.ts";
import { defineWorkflowGet } from "./operations/workflow-get.ts";
import { defineWorkflowIntegration } from "./operations/workflow-integration.ts";
import { defineWorkflowList } from "./operations/workflow-list.ts";
import { defineWorkflowRunGet } from "./operations/workflow-run-get.ts";
import { defineWorkflowRunNow } from "./operations/workflow-run-now.ts";
import { defineWorkflowRuns } from "./operations/workflow-runs.ts";
import { defineWorkflowTriggerTypes } from "./operations/workflow-trigger-types.ts";
import type { WorkflowCall } from "./workflow-call.ts";

/**
 * The `workflow` connector: workflows and their runs for models. Its operations call the same verbs
 * as the API, as the caller. The verbs are loaded by the first call, because most hubs need none.
 */
export function defineWorkflowConnector(deps: OperationDeps) {
  return defineConnectorWith<WorkflowCall>()({
    key: "workflow",
    name: "Workflows",
    icon: "workflow",
    tier: "builtin",
    description: "Workflows of this hub: find them, start runs and read how runs ended.",
    config: {},
    operations: {
      workflow_list: defineWorkflowList(deps),
      workflow_get: defineWorkflowGet(deps),
      workflow_runs: defineWorkflowRuns(deps),
      workflow_run_get: defineWorkflowRunGet(deps),
      workflow_run_now: defineWorkflowRunNow(deps),
      workflow_cancel: defineWorkflowCancel(deps),
      workflow_integration: defineWorkflowIntegration(deps),
      workflow_trigger_types: defineWorkflowTriggerTypes(),
    },
  });
}
