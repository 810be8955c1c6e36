import { defineConnectorWith, wick } from "@hub/connector";
import type { WorkflowRunState } from "@hub/contract/workflow-run.ts";
import type { DescribeDeps } from "../channels/describe-channels.ts";
import type { RunNowDeps } from "./run-now.ts";
import type { WorkflowCall } from "./workflow-call.ts";

const listMax = 100;
const workflowId = wick("required;desc=The id of the workflow, from workflow_list. It is no name.");
const runId = wick("required;desc=The id of the run, from workflow_runs or workflow_run_now.");
const limit = wick.int(`default=20;desc=How many to list, 1 to ${listMax}.`);
const after = wick("desc=The next of the previous page.");

/**
 * The `workflow` connector: workflows and their runs for models. Its operations call the same verbs
 * as the API, as the caller. The verbs are loaded by the first call, because most hubs need none.
 */
export function defineWorkflowConnector(deps: RunNowDeps & DescribeDeps) {
  return defineConnectorWith<WorkflowCall>()({
    key: "workflow",
    name: "Workflows",
    icon: "workflow",
    tier: "builtin",
    description: "Workflows of this hub: find them, start runs and read how runs ended.",
    config: {},
    operations: {
      workflow_list: {
        name: "List workflows",
        description:
          "List the workflows that you can see, newest first.\n\nA workflow is a graph of steps that the hub runs by itself, such as calls of tools, conditions and waits. Each entry has id, name, description, enabled, version (0 if it was never published) and may_start, which says whether you can start it. Use it to find the workflow_id for the other operations. If next is not null, pass it as after to get the next page.",
        input: {
          q: wick("desc=Only workflows with this text in their name or id."),
          state: wick(
            "dropdown=published|draft|disabled;desc=published: published and enabled. draft: never published. disabled: switched off.",
          ),
          tag: wick("desc=Only workflows with this tag."),
          limit,
          after,
        },
        examples: [{ description: "Find a workflow", params: { q: "report" } }],
        async run({ caller, params }) {
          const { listWorkflows } = await import("../record/list-workflows.ts");
          const { items, next } = await listWorkflows(deps, caller, {
            q: params.q,
            tag: params.tag,
            state: params.state,
            ...toPage(params),
          });
          return { workflows: items, next };
        },
      },
      workflow_get: {
        name: "Show a workflow",
        description:
          "Show one workflow.\n\nReturns what workflow_list shows, and manual_triggers: how you can start it, each with its id and the JSON Schema of the payload for workflow_run_now. The owner and admins also get body, which is the draft (triggers, nodes and edges), and the names of its secrets; for others these are null.",
        input: { workflow_id: workflowId },
        async run({ caller, params }) {
          const { showWorkflow } = await import("../record/list-workflows.ts");
          const { listManualTriggers } = await import("../runs/list-manual-triggers.ts");
          const shown = await showWorkflow(deps, caller, params.workflow_id);
          const triggers = await listManualTriggers(deps, caller, params.workflow_id);
          return { ...shown, manual_triggers: triggers };
        },
      },
      workflow_runs: {
        name: "List runs",
        description:
          "List the runs of one workflow, newest first.\n\nstate is queued, running, waiting, succeeded, failed, cancelled or dropped; the last four are final. The owner and admins also see why a run failed and who started it. Use workflow_run_get for the steps of a run. If next is not null, pass it as after to get the next page.",
        input: {
          workflow_id: workflowId,
          state: wick(
            "dropdown=queued|running|waiting|succeeded|failed|cancelled|dropped;desc=Only runs in this state.",
          ),
          limit,
          after,
        },
        examples: [
          {
            description: "The last failures",
            params: { workflow_id: "daily-report-k3x9qa", state: "failed", limit: 5 },
          },
        ],
        async run({ caller, params }) {
          const { listRuns } = await import("../runs/list-runs.ts");
          const { items, next } = await listRuns(deps, caller, params.workflow_id, {
            state: toState(params.state),
            ...toPage(params),
          });
          return { runs: items, next };
        },
      },
      workflow_run_get: {
        name: "Show a run",
        description:
          "Show one run with its event and steps.\n\nUse it to follow a run, or to find out which step failed and why. The owner and admins see the event that started it and each step with input, output and error; for others these are null. Values are cut to 2 KiB each, and the first 200 steps are listed; pass node_id to get the steps of one node with values of up to 64 KiB.",
        input: {
          workflow_id: workflowId,
          run_id: runId,
          node_id: wick("desc=Only the steps of this node."),
        },
        async run({ caller, params }) {
          const { readRun } = await import("./read-run.ts");
          const { workflow_id: workflow, run_id: run, node_id: nodeId } = params;
          return await readRun(deps, caller, { workflow, run }, nodeId);
        },
      },
      workflow_run_now: {
        name: "Start a run",
        description:
          "Start a run of a workflow by its manual trigger.\n\nThe run acts with the rights of the workflow's owner, so confirm with the user what it will do. Read manual_triggers of workflow_get first: they say which payload is valid. Returns run_id and state. Without wait_s the state is mostly queued or running: look later with workflow_run_get. With wait_s it returns when the run ends or the time is over; a run that succeeded has its last output, a failed one its error. If note is present, no server works on runs now and the run waits for one.",
        destructive: true,
        input: {
          workflow_id: workflowId,
          trigger_id: wick("desc=The manual trigger. Needed only if there are several."),
          payload: wick.json(
            'desc=An object with the fields of the trigger, such as {"account": "42"}.',
          ),
          draft: wick.bool(
            "desc=Run the draft instead of the published version. Only for a workflow that you own.",
          ),
          wait_s: wick.float("desc=How long to wait for the end of the run, 0 to 30 seconds."),
        },
        examples: [
          {
            description: "Start it and wait for its result",
            params: {
              workflow_id: "daily-report-k3x9qa",
              payload: { account: "42" },
              wait_s: 20,
            },
          },
        ],
        async run({ params, ...call }) {
          const { runNow } = await import("./run-now.ts");
          return await runNow(deps, call, {
            workflowId: params.workflow_id,
            triggerId: params.trigger_id,
            payload: params.payload,
            isDraft: params.draft === true,
            waitS: params.wait_s ?? 0,
          });
        },
      },
      workflow_cancel: {
        name: "Cancel a run",
        description:
          "Cancel a run that has not ended.\n\nCalls that are in flight are cancelled too; what the run did before is not undone. For everyone who may start the workflow. cancelled is now, or soon if a server still has to end it.",
        destructive: true,
        input: { workflow_id: workflowId, run_id: runId },
        async run({ caller, params }) {
          const { cancelRun } = await import("../runs/cancel-run.ts");
          const { workflow_id: workflow, run_id: run } = params;
          return await cancelRun(deps, caller, { workflow, run });
        },
      },
      workflow_integration: {
        name: "List channels",
        description:
          "List the chat channels that workflows can use, with their events.\n\nEach channel has key (the value of channel in triggers and nodes), kind, events and ops. An event has an id, match_schema (the filters of a channel trigger; a list of ids may also be plain texts) and payload_schema (what .Event.Payload is in templates). An op is an action of a channel node, with the input_schema of its args, and the tool_id to call it yourself. The list is empty while you can see no channel.",
        async run({ caller }) {
          const { describeChannels } = await import("../channels/describe-channels.ts");
          return { channels: await describeChannels(deps, caller) };
        },
      },
      workflow_trigger_types: {
        name: "List trigger types",
        description:
          "List the types of triggers that start runs.\n\nEach has fields, the JSON Schema of the trigger in a workflow's body, and payload_schema, which describes .Event.Payload in templates. Use it to read or write the body of a workflow.",
        async run() {
          const { describeTriggerTypes } = await import("../triggers/payload-schemas.ts");
          const types = describeTriggerTypes();
          return {
            trigger_types: types.map(({ payload, ...type }) => ({
              ...type,
              payload_schema: payload,
            })),
          };
        },
      },
    },
  });
}

function toPage(params: { limit: number | bigint | object; after?: string | undefined }) {
  return { limit: Math.min(Math.max(Number(params.limit), 1), listMax), after: params.after };
}

function toState(state: string | undefined): WorkflowRunState | undefined {
  // The dropdown allows only these values.
  return state as WorkflowRunState | undefined;
}
