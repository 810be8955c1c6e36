import { expect, test } from "bun:test";
import { slackConnector } from "../channels/slack/slack-connector.ts";
import { telegramConnector } from "../channels/telegram/telegram-connector.ts";
import { createConnectorRegistry } from "../connectors/registry.ts";
import type { OperationDeps } from "../workflows/authoring-tools/define-operation.ts";
import { registerWorkflowConnector } from "../workflows/authoring-tools/workflow-connector.ts";
import { registerConnectors } from "./register-connectors.ts";
import { registerHubConnector } from "./register-hub-connector.ts";

/**
 * Protects: `hub_read` runs an operation of the hub's own connectors only if it was looked at. A new operation that
 * only reads stands here; one that marks a message as seen, starts a run or costs something outside does not.
 */
test("These operations of the hub's own connectors only read", () => {
  const registry = createConnectorRegistry();
  // Safe: operations use them when they run, and none runs.
  const deps = { config: {}, registry } as unknown as OperationDeps;
  registerConnectors(registry, {
    bridges: [],
    given: [],
    chats: [slackConnector, telegramConnector],
  });
  registerHubConnector({ registry, store: {} } as Parameters<typeof registerHubConnector>[0]);
  registerWorkflowConnector({ ...deps, registry });
  const list = (member: "reads" | "isMarkable") =>
    Object.fromEntries(
      registry
        .list()
        .map(({ key, operations }) => [
          key,
          [...operations.values()].filter((one) => one[member]).map((one) => one.key),
        ]),
    );
  expect(list("reads")).toEqual({
    hub: ["whoami", "my_recent_calls", "read_script"],
    http: [],
    slack: [],
    telegram: [],
    workflow: [
      "workflow_list",
      "workflow_get",
      "workflow_validate",
      "workflow_runs",
      "workflow_run_get",
      "workflow_explain",
      "workflow_approvals",
      "workflow_integration",
      "workflow_trigger_types",
      "workflow_node_types",
      "workflow_template_test",
    ],
  });
  expect(list("isMarkable")).toEqual({
    hub: [],
    http: ["get", "head"],
    slack: [],
    telegram: [],
    workflow: [],
  });
  for (const { operations } of registry.list()) {
    for (const { key, reads, destructive } of operations.values()) {
      expect([key, reads === true && destructive]).toEqual([key, false]);
    }
  }
});
