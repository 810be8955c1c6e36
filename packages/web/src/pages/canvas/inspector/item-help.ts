import type { NodeType, TriggerType } from "../graph/item-types.ts";

const triggerHelp: Readonly<Record<TriggerType, string>> = {
  manual:
    "The Run button, the API or a model starts a run. Templates read its inputs, such as .Event.Payload.order_id for OrderID.",
  webhook:
    "Each request to its address starts a run. Templates read .Event.Payload.body, .query, .headers and .method.",
  cron: "Starts a run at each time of the schedule, once the workflow is published.",
  schedule_at:
    'Starts a run at the time that an earlier run gave. A node whose output is such as {"schedule_at": "2030-12-01T09:00:00Z"} plans it, and the output is its .Event.Payload. The tab Schedule has the planned runs.',
  error:
    "A failed run of another workflow starts a run. Templates read .Event.Payload.error, .run_id, .node_id and .workflow_id.",
  channel: "A message or another event of a chat starts a run.",
};

const nodeHelp: Readonly<Record<NodeType, string>> = {
  operation: "Calls an operation as the owner of the workflow. Its output is the result.",
  http: "Its output has status, headers and body. A system with credentials is better a row: its operations are then here.",
  branch: "Compares values, and goes on along true or false.",
  switch: "Goes on along the first case that holds, else along default.",
  set: "Makes a value from others. Later nodes read it as .Node and its id.",
  code: "Its output is what the code returns.",
  wait: "Goes on after some seconds or at a time, also if the hub restarts meanwhile.",
  approval: "Waits for a decision, and goes on along approved, denied or expired.",
  workflow: "Runs another workflow as its owner.",
  channel: "Sends a message to a chat.",
  webhook_respond:
    "Answers the request that started the run. Its trigger must respond with a respond node.",
  fail: "Ends the run as failed.",
};

/** What a type is for and what it gives. */
export function findHelpOf(type: string, isTrigger: boolean): string | null {
  const help: Readonly<Record<string, string>> = isTrigger ? triggerHelp : nodeHelp;
  return Object.hasOwn(help, type) ? (help[type] ?? null) : null;
}
