import { wick } from "@hub/connector";
import { defineOperation, type OperationDeps } from "../define-operation.ts";
import { bodyGuide } from "../describe/body-guide.ts";

export function defineWorkflowCreate(deps: OperationDeps) {
  return defineOperation({
    name: "Create a workflow",
    description: `Create a workflow: an automation that the hub runs by itself, on a schedule, for a webhook, for the error of another workflow, or by hand.\n\nIt is a draft of your user and runs nothing by itself until it is published. ${bodyGuide}\nWhole schemas with examples: workflow_node_types {"type": "code,http"} and workflow_trigger_types {"type": "cron"}; the operations of this connector have the prefix of this tool_id. Returns workflow_id, revision, problems (each with path, message and hint), the addresses of webhooks, the next times of schedules, the secrets that a person must set, test_with (the params for workflow_run_now) and next, which says what to do. To change it, send the whole body to workflow_save.`,
    destructive: true,
    input: {
      name: wick("required;desc=The name for people, at most 100 characters."),
      description: wick("desc=What it is for."),
      body: wick.json(
        "desc=The draft, an object with triggers, nodes and edges. The description of this operation (hub_get) says how it is written.",
      ),
    },
    examples: [
      {
        description: "A signed webhook that answers with JSON",
        params: {
          name: "Greet",
          body: {
            triggers: [
              {
                id: "hook",
                type: "webhook",
                path: "greet",
                entry: "hello",
                secret_ref: "GREET_KEY",
                respond_mode: "respond_node",
              },
            ],
            nodes: [
              { id: "hello", type: "set", value: { text: "Hello {{.Event.Payload.body.name}}" } },
              {
                id: "answer",
                type: "webhook_respond",
                respond_status: 201,
                respond_body: "{{toJSON .Node.hello}}",
              },
            ],
            edges: [{ from: "hello", to: "answer" }],
          },
        },
      },
    ],
    async run({ params, ...call }) {
      const { createDraft } = await import("../save-own-draft.ts");
      return await createDraft(deps, call, {
        name: params.name,
        description: params.description,
        body: params.body,
      });
    },
  });
}
