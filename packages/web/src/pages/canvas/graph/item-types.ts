import type { IconName } from "@hub/contract/icons.ts";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";
import type { Item } from "./body.ts";

export type TriggerType = WorkflowTrigger["type"];
export type NodeType = WorkflowNode["type"];

/** What the palette says about a type, and the fields of a new item. */
export type ItemType = {
  name: string;
  icon: IconName;
  /** One line of what it does. */
  about: string;
  fields: Readonly<Record<string, unknown>>;
};

export const triggerTypes: Readonly<Record<TriggerType, ItemType>> = {
  manual: {
    name: "Started by hand",
    icon: "play",
    about: "The Run button, the API, or a model starts a run.",
    fields: {},
  },
  webhook: {
    name: "Webhook",
    icon: "globe",
    about: "A request to an address of the hub.",
    fields: { method: "POST" },
  },
  cron: {
    name: "Schedule",
    icon: "clock",
    about: "Times of a cron expression.",
    fields: { schedule: "0 0 9 * * *" },
  },
  schedule_at: {
    name: "Scheduled run",
    icon: "clock",
    about: "The time that an earlier run gave as schedule_at.",
    fields: {},
  },
  error: {
    name: "Failed run",
    icon: "warning",
    about: "A run of another workflow fails.",
    fields: { source_workflow: "*" },
  },
  channel: {
    name: "Channel event",
    icon: "message",
    about: "A message or another event of a chat.",
    fields: { channel: "", event: "message" },
  },
};

export const nodeTypes: Readonly<Record<NodeType, ItemType>> = {
  operation: {
    name: "Operation",
    icon: "connectors",
    about: "Calls an operation of a row.",
    fields: { tool_id: "", params: {} },
  },
  http: {
    name: "HTTP request",
    icon: "cloud",
    about: "Sends a request to a public address.",
    fields: { method: "GET", url: "" },
  },
  branch: {
    name: "Branch",
    icon: "branch",
    about: "Goes on along true or false.",
    fields: { conditions: [{ left: "", op: "eq", right: "" }] },
  },
  switch: {
    name: "Switch",
    icon: "filter",
    about: "Goes on along the first case that holds.",
    fields: { value: "", cases: [{ case: "first", op: "eq", right: "" }] },
  },
  set: {
    name: "Set",
    icon: "settings",
    about: "Makes a value for later nodes.",
    fields: { value: {} },
  },
  code: {
    name: "Code",
    icon: "file",
    about: "Runs JavaScript with event, node and env.",
    fields: { source: "return event.Payload;" },
  },
  wait: {
    name: "Wait",
    icon: "clock",
    about: "Waits for a time, also while the hub restarts.",
    fields: { seconds: 60 },
  },
  approval: {
    name: "Approval",
    icon: "check",
    about: "Waits until a person approves or denies.",
    fields: { title: "", approvers: { tags: [], users: [] } },
  },
  workflow: {
    name: "Run a workflow",
    icon: "runs",
    about: "Runs another workflow.",
    fields: { workflow_id: "" },
  },
  channel: {
    name: "Channel message",
    icon: "message",
    about: "Sends a message to a chat.",
    fields: { channel: "", op: "send_message", args: {} },
  },
  webhook_respond: {
    name: "Respond to webhook",
    icon: "external",
    about: "Answers the request that started the run.",
    fields: { respond_status: 200 },
  },
  fail: { name: "Fail", icon: "stop", about: "Ends the run as failed.", fields: { message: "" } },
};

/** What is known about the type of an item. Drafts may have a type that does not exist. */
export function findItemType(item: Item, isTrigger: boolean): ItemType {
  const types: Readonly<Record<string, ItemType>> = isTrigger ? triggerTypes : nodeTypes;
  const known = Object.hasOwn(types, item.type) ? types[item.type] : undefined;
  return known ?? { name: item.type, icon: "warning", about: "Unknown type.", fields: {} };
}
