import type { WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";

export type TriggerTypeText = {
  summary: string;
  example: Record<string, unknown>;
  /** A sample of `.Event.Payload`. */
  payload: Record<string, unknown>;
};

export const triggerTypeTexts: { [Type in WorkflowTrigger["type"]]: TriggerTypeText } = {
  cron: {
    summary:
      "Fires at the times of a cron expression of six fields: second minute hour day month weekday.",
    example: {
      id: "nightly",
      type: "cron",
      entry: "first_node",
      schedule: "0 30 6 * * 1-5",
      timezone: "Europe/Berlin",
    },
    payload: {
      time: "2026-01-30T05:30:00.000Z",
      local_time: "2026-01-30T06:30:00+01:00",
      schedule: "0 30 6 * * 1-5",
      timezone: "Europe/Berlin",
      caught_up: false,
    },
  },
  channel: {
    summary:
      "Fires for messages and other events of a chat channel. workflow_integration lists them.",
    example: {
      id: "asked",
      type: "channel",
      entry: "first_node",
      channel: "team-chat",
      event: "message",
      match: { text_contains: "deploy" },
    },
    payload: { user: "U0123", text: "please deploy", channel_id: "C0123", is_dm: false },
  },
  webhook: {
    summary:
      "Starts a run for a request to /webhook/{workflow id}/{path}. With secret_ref, requests must be signed. respond_mode: immediately answers 202, respond_node waits for a webhook_respond node, last_node answers the last output.",
    example: {
      id: "hook",
      type: "webhook",
      entry: "first_node",
      path: "orders",
      secret_ref: "ORDERS_KEY",
      respond_mode: "respond_node",
    },
    payload: {
      method: "POST",
      path: "orders",
      headers: { "content-type": "application/json" },
      query: {},
      body: { id: 7, items: [{ price: 2 }] },
    },
  },
  manual: {
    summary: "Is started by a person, by the API or by workflow_run_now.",
    example: {
      id: "start",
      type: "manual",
      entry: "first_node",
      input: [
        { name: "account", tag: "required;desc=The account" },
        { name: "days", type: "integer", tag: "default=7" },
      ],
    },
    payload: { account: "42", days: 7 },
  },
  schedule_at: {
    summary:
      'Starts a run at the time that a node of this workflow names: an output that is an object with schedule_at, such as {schedule_at: "{{time \\"1h\\" .Event.At}}", …}. That output is the payload.',
    example: { id: "later", type: "schedule_at", entry: "first_node" },
    payload: { schedule_at: "2026-01-31T09:00:00+01:00" },
  },
  error: {
    summary:
      'Starts when a run of another workflow fails. source_workflow is its id, or "*" for all other workflows of the owner; they need not be published. Without severity, every failure starts it. A failing draft run starts it too, if it is published; a dry run does not. node_id is null when the run as a whole failed.',
    example: {
      id: "failed",
      type: "error",
      entry: "first_node",
      source_workflow: "daily-report-k3x9qa",
      severity: ["error", "critical"],
    },
    payload: {
      run_id: "01a20418-f566-7542-a810-1097682c6137",
      workflow_id: "daily-report-k3x9qa",
      error: { message: "The server answered 500.", code: "upstream_error" },
      node_id: "load",
      severity: "error",
      depth: 1,
      event: { Type: "cron", TriggerID: "nightly", Payload: {} },
    },
  },
};
