import { parseFields, wick } from "@hub/connector";
import type { Invocation, RegisteredConnector } from "../../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import { HubError } from "../../errors.ts";
import type { OperationDeps } from "../authoring-tools/define-operation.ts";
import { toWorkflowCall } from "../authoring-tools/workflow-call.ts";
import type { ToolBinding } from "./define-tool.ts";
import { toolConnectorKey, toolWorkflowField } from "./tool-row.ts";

/** Adds the connector `workflow_tool` to those of this process. */
export function registerWorkflowTools(
  deps: OperationDeps & { registry: Pick<ConnectorRegistry, "register"> },
  key: string = toolConnectorKey,
): void {
  deps.registry.register({ ...defineToolConnector(deps), key });
}

/**
 * Each row is a workflow, with one operation that starts it. The rows follow what is published, so
 * they are neither made nor changed by hand, and there is nothing to discover.
 */
function defineToolConnector(deps: OperationDeps): RegisteredConnector {
  return {
    key: toolConnectorKey,
    name: "Workflow tools",
    icon: "workflow",
    tier: "builtin",
    description:
      "Workflows of this hub as tools: each row is a workflow that its author offers, and its operation runs it with the rights of the workflow's owner.",
    configFields: parseFields(toolConnectorKey, {
      [toolWorkflowField]: wick("locked;desc=The id of the workflow."),
    }),
    operations: new Map(),
    madeFrom:
      "A row is made for each published workflow with a manual trigger that is offered as a tool. Change the workflow, and publish it.",
    invoke: (call) => runTool(deps, call),
  };
}

/** Starts the workflow of a row, and waits for its end. */
async function runTool(deps: OperationDeps, call: Invocation): Promise<unknown> {
  const { runNow } = await import("../authoring-tools/run-now.ts");
  const { waitMsMax } = await import("../runs/start/start-run.ts");
  // Written by `defineTool`.
  const { trigger } = call.rowOperation?.binding as ToolBinding;
  const outcome = await runNow(deps, toWorkflowCall(call), {
    workflowId: String(call.config[toolWorkflowField]),
    triggerId: trigger,
    payload: call.params,
    isDraft: false,
    dryRun: {},
    waitS: waitMsMax / 1000,
  });
  const { run_id: runId, state, output, error, note } = outcome;
  if (state === "succeeded") return { run_id: runId, state, output };
  if (state === "queued" || state === "running" || state === "waiting") {
    return { run_id: runId, state, note: note ?? unfinishedNote };
  }
  const reason = error ?? `Its run is ${state}.`;
  throw new HubError("run_failed", `The workflow did not succeed. ${reason}`, {
    detail: { run_id: runId, state },
  });
}

const unfinishedNote =
  "The run goes on. Read later how it ended, with its run_id: by workflow_run_get, or on the page of the workflow.";
