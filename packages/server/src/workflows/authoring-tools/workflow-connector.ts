import { type ConnectorDefinition, defineConnectorWith } from "@hub/connector";
import { createLocalConnector } from "../../connectors/local-connector.ts";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import type { OperationDeps } from "./define-operation.ts";
import { defineWorkflowApprovals } from "./operations/workflow-approvals-tool.ts";
import { defineWorkflowCancel } from "./operations/workflow-cancel-tool.ts";
import { defineWorkflowCreate } from "./operations/workflow-create-tool.ts";
import { defineWorkflowDisable } from "./operations/workflow-disable-tool.ts";
import { defineWorkflowEnable } from "./operations/workflow-enable-tool.ts";
import { defineWorkflowExplain } from "./operations/workflow-explain-tool.ts";
import { defineWorkflowGet } from "./operations/workflow-get-tool.ts";
import { defineWorkflowIntegration } from "./operations/workflow-integration-tool.ts";
import { defineWorkflowList } from "./operations/workflow-list-tool.ts";
import { defineWorkflowNodeTypes } from "./operations/workflow-node-types-tool.ts";
import { defineWorkflowPublish } from "./operations/workflow-publish-tool.ts";
import { defineWorkflowReplay } from "./operations/workflow-replay-tool.ts";
import { defineWorkflowRunGet } from "./operations/workflow-run-get-tool.ts";
import { defineWorkflowRunNow } from "./operations/workflow-run-now-tool.ts";
import { defineWorkflowRuns } from "./operations/workflow-runs-tool.ts";
import { defineWorkflowSave } from "./operations/workflow-save-tool.ts";
import { defineWorkflowTemplateTest } from "./operations/workflow-template-test-tool.ts";
import { defineWorkflowTriggerTypes } from "./operations/workflow-trigger-types-tool.ts";
import { defineWorkflowValidate } from "./operations/workflow-validate-tool.ts";
import { toWorkflowCall, type WorkflowCall } from "./workflow-call.ts";

/** What only authors need: with `HUB_WORKFLOW_AUTHORS=admins`, it does not exist for other users. */
const authoring = ["workflow_create", "workflow_save", "workflow_validate", "workflow_publish"];

/**
 * What bound tokens have: they start published workflows, and see and end what they have started. They write no
 * workflow, since its later runs would have no bounds, and read no runs of others.
 */
const forBound = [
  "workflow_list",
  "workflow_run_now",
  "workflow_run_get",
  "workflow_replay",
  "workflow_cancel",
];

/** Adds the connector `workflow` to those of this process. */
export function registerWorkflowConnector(
  deps: OperationDeps & { registry: Pick<ConnectorRegistry, "register"> },
  key = "workflow",
): void {
  const { workflowAuthors } = deps.config;
  const connector = createLocalConnector(
    { ...defineWorkflowConnector(deps), key },
    toWorkflowCall,
    {
      boundOperations: new Set(forBound),
      ...(workflowAuthors === "admins" && { adminOperations: new Set(authoring) }),
    },
  );
  deps.registry.register(connector);
}

/**
 * The `workflow` connector: workflows and their runs for models. Its operations call the same verbs
 * as the API, as the caller. The verbs are loaded by the first call, because most hubs need none.
 */
function defineWorkflowConnector(deps: OperationDeps): ConnectorDefinition<WorkflowCall> {
  return defineConnectorWith<WorkflowCall>()({
    key: "workflow",
    name: "Workflows",
    icon: "workflow",
    tier: "builtin",
    description:
      "Workflows of this hub, which run by themselves: find them, write and try them, start runs and read how runs ended.",
    config: {},
    operations: {
      workflow_list: defineWorkflowList(deps),
      workflow_get: defineWorkflowGet(deps),
      workflow_create: defineWorkflowCreate(deps),
      workflow_save: defineWorkflowSave(deps),
      workflow_validate: defineWorkflowValidate(deps),
      workflow_publish: defineWorkflowPublish(deps),
      workflow_enable: defineWorkflowEnable(deps),
      workflow_disable: defineWorkflowDisable(deps),
      workflow_runs: defineWorkflowRuns(deps),
      workflow_run_get: defineWorkflowRunGet(deps),
      workflow_run_now: defineWorkflowRunNow(deps),
      workflow_replay: defineWorkflowReplay(deps),
      workflow_cancel: defineWorkflowCancel(deps),
      workflow_explain: defineWorkflowExplain(deps),
      workflow_approvals: defineWorkflowApprovals(deps),
      workflow_integration: defineWorkflowIntegration(deps),
      workflow_trigger_types: defineWorkflowTriggerTypes(),
      workflow_node_types: defineWorkflowNodeTypes(),
      workflow_template_test: defineWorkflowTemplateTest(deps),
    },
  });
}
