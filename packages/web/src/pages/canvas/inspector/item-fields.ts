import type { NodeType, TriggerType } from "../graph/item-types.ts";

type Option = readonly [value: string, label: string];

/** How a field is edited. */
type FieldKind =
  | "text"
  | "lines"
  | "number"
  | "duration"
  | "schedule"
  | "choice"
  | "choices"
  | "toggle"
  | "json"
  | "texts"
  | "code"
  | "conditions"
  | "cases"
  | "approvers"
  | "inputs"
  | "channel"
  | "event"
  | "match"
  | "op"
  | "args"
  | "operation"
  | "params"
  | "workflow"
  | "secret"
  | "retry";

/** A field of a trigger or node, as the inspector shows it. */
export type ItemField = {
  key: string;
  label: string;
  about?: string;
  kind: FieldKind;
  options?: readonly Option[];
  isRequired?: true;
  /** Its texts are templates, so that it has the switch between a fixed value and an expression. */
  isTemplate?: true;
  default?: string;
  /** Shown below "More". */
  isMore?: true;
};

const forEach: readonly ItemField[] = [
  {
    ...{ key: "for_each", label: "For each", kind: "text", isTemplate: true, isMore: true },
    about: "A template that gives a list. The node runs once for each item, as .Item and .Index.",
  },
  {
    ...{ key: "items_at_once", label: "Items at once", kind: "number", default: "1", isMore: true },
    about: "How many items run at the same time, 1 to 32.",
  },
];
const repeat: ItemField = {
  ...{ key: "repeat", label: "Repeat after unclear failures", kind: "toggle", isMore: true },
  about: "Also after a failure that may have had effects, such as a timeout.",
};
const common: readonly ItemField[] = [
  {
    ...{ key: "on_error", label: "If it fails", kind: "choice", default: "fail", isMore: true },
    about: "The last choice gives the node an output for errors.",
    options: [
      ["fail", "Fail the run"],
      ["continue", "Go on with the error as output"],
      ["route", "Go on along the case error"],
    ],
  },
  { key: "retry", label: "Tries", kind: "retry", isMore: true },
  {
    ...{ key: "timeout_s", label: "Time limit in seconds", kind: "number", isMore: true },
    about: "Of each try, 1 to 3,600.",
  },
];

const severities: readonly Option[] = [
  ["info", "Info"],
  ["warning", "Warning"],
  ["error", "Error"],
  ["critical", "Critical"],
];

const nodeFields: Readonly<Record<NodeType, readonly ItemField[]>> = {
  operation: [
    { key: "tool_id", label: "Operation", kind: "operation", isRequired: true },
    { key: "params", label: "Inputs", kind: "params", isTemplate: true },
    ...forEach,
    repeat,
  ],
  http: [
    {
      ...{ key: "method", label: "Method", kind: "choice", default: "GET" },
      options: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].map((one) => [one, one]),
    },
    {
      ...{ key: "url", label: "Address", kind: "text", isTemplate: true, isRequired: true },
      about: "Such as https://api.example.com/orders. It must be public.",
    },
    {
      ...{ key: "query", label: "Query", kind: "texts", isTemplate: true },
      about: "Added to the address and encoded.",
    },
    {
      ...{ key: "headers", label: "Headers", kind: "texts", isTemplate: true },
      about: "A value such as Bearer {{.Secret.API_KEY}} stays secret.",
    },
    {
      ...{ key: "body", label: "Body", kind: "json", isTemplate: true },
      about: "A JSON text is sent as it is, any other value as JSON.",
    },
    ...forEach,
    repeat,
  ],
  branch: [
    { key: "conditions", label: "Conditions", kind: "conditions", isTemplate: true },
    {
      ...{ key: "match", label: "Goes on along true if", kind: "choice", default: "all" },
      options: [
        ["all", "all conditions hold"],
        ["any", "one condition holds"],
      ],
    },
  ],
  switch: [
    {
      ...{ key: "value", label: "Value", kind: "text", isTemplate: true, isRequired: true },
      about: "What the cases compare, such as {{.Event.Payload.kind}}.",
    },
    { key: "cases", label: "Cases", kind: "cases", isTemplate: true },
  ],
  set: [
    {
      ...{ key: "value", label: "Value", kind: "json", isTemplate: true, isRequired: true },
      about: "Any JSON value. Its texts may be templates.",
    },
  ],
  code: [
    {
      ...{ key: "source", label: "JavaScript", kind: "code", isRequired: true },
      about: "The body of a function. The output is what it returns.",
    },
    { key: "timeout_ms", label: "Time limit in milliseconds", kind: "number", default: "1000" },
    ...forEach,
  ],
  wait: [
    {
      ...{ key: "seconds", label: "Seconds", kind: "number", isTemplate: true },
      about: "At most 30 days. Either this or a time.",
    },
    {
      ...{ key: "until", label: "Until", kind: "text", isTemplate: true },
      about: "A time as ISO 8601 with an offset, or Unix seconds.",
    },
  ],
  approval: [
    { key: "title", label: "Question", kind: "text", isTemplate: true, isRequired: true },
    {
      ...{ key: "details", label: "Details", kind: "lines", isTemplate: true },
      about: "What the approvers need to know.",
    },
    { key: "approvers", label: "Approvers", kind: "approvers", isRequired: true },
    {
      ...{ key: "expires_s", label: "Expires after", kind: "duration", default: "86400" },
      about: "From one minute to 30 days. It then goes on along expired.",
    },
    {
      ...{ key: "self", label: "The starter may decide", kind: "toggle" },
      about: "Also who saved or published the workflow last. They must be approvers, too.",
    },
  ],
  workflow: [
    { key: "workflow_id", label: "Workflow", kind: "workflow", isRequired: true },
    {
      ...{ key: "payload", label: "Payload", kind: "json", isTemplate: true },
      about: "The other workflow reads it as .Event.Payload.",
    },
    {
      ...{ key: "wait", label: "Wait for its end", kind: "toggle", default: "true" },
      about: "Its last output is then the output of this node.",
    },
    ...forEach,
    repeat,
  ],
  channel: [
    { key: "channel", label: "Channel", kind: "channel", isRequired: true },
    { key: "op", label: "Action", kind: "op", isRequired: true },
    { key: "args", label: "Inputs", kind: "args", isTemplate: true },
    ...forEach,
    repeat,
  ],
  webhook_respond: [
    {
      ...{ key: "respond_status", label: "Status", kind: "number", isTemplate: true },
      ...{ default: "200", about: "The HTTP status, 200 to 599." },
    },
    {
      ...{ key: "respond_body", label: "Body", kind: "lines", isTemplate: true },
      about: "Text or JSON. {{ inserts what the request or an earlier node gave.",
    },
    {
      ...{ key: "respond_headers", label: "Headers", kind: "texts", isTemplate: true },
      about: "Without Content-Type, it is JSON or plain text, by the body.",
    },
  ],
  fail: [
    {
      ...{ key: "message", label: "Error", kind: "lines", isTemplate: true, isRequired: true },
      about: "What the list of runs says.",
    },
    {
      ...{ key: "severity", label: "Severity", kind: "choice" },
      about: "Triggers of other workflows can start for some severities only.",
      options: [["", "As the workflow's settings say"], ...severities],
    },
  ],
};

const methods: readonly Option[] = ["GET", "POST", "PUT", "PATCH", "DELETE"].map((one) => [
  one,
  one,
]);

const triggerFields: Readonly<Record<TriggerType, readonly ItemField[]>> = {
  cron: [
    {
      ...{ key: "schedule", label: "Schedule", kind: "schedule", isRequired: true },
      about: "Second, minute, hour, day of the month, month, day of the week: 0 30 9 * * 1-5.",
    },
    {
      ...{ key: "timezone", label: "Time zone", kind: "text" },
      about: "Such as Europe/Berlin. The default is the hub's.",
    },
    {
      ...{ key: "catch_up", label: "Missed times", kind: "choice", default: "none" },
      about: "Those at which no server ran.",
      options: [
        ["none", "Skip them"],
        ["last", "Run the latest one"],
      ],
    },
  ],
  webhook: [
    {
      ...{ key: "path", label: "Path", kind: "text" },
      about: "The end of the address, without a slash at its start. Empty accepts every path.",
    },
    {
      ...{ key: "method", label: "Methods", kind: "choices", default: "POST" },
      options: methods,
    },
    {
      ...{ key: "respond_mode", label: "Respond", kind: "choice", default: "immediately" },
      about: "Immediately is 202 while the run goes on. The others wait 30 seconds at most.",
      options: [
        ["immediately", "Immediately"],
        ["last_node", "With the output of the last node"],
        ["respond_node", "With a respond node"],
      ],
    },
    {
      ...{ key: "secret_ref", label: "Signing secret", kind: "secret" },
      about: "Such as HOOK_SECRET. Requests must then be signed with its value, in X-Hub-Sig.",
    },
    {
      ...{ key: "signature_header", label: "Signature header", kind: "text", isMore: true },
      about: "Such as X-Hub-Signature-256. The default is X-Hub-Sig.",
    },
    {
      ...{
        key: "replay_window_s",
        label: "Replay window in seconds",
        kind: "number",
        isMore: true,
      },
      about: "Requests must then have a signed timestamp that is not older.",
    },
  ],
  channel: [
    { key: "channel", label: "Channel", kind: "channel", isRequired: true },
    { key: "event", label: "Event", kind: "event", isRequired: true },
    { key: "match", label: "Filters", kind: "match" },
  ],
  manual: [
    {
      ...{ key: "input", label: "Inputs", kind: "inputs" },
      about: "The fields of the Run form. Without them, the payload is any JSON object.",
    },
    {
      ...{ key: "as_tool", label: "Offer it as a tool", kind: "toggle" },
      about: "To the users who share a tag with the published workflow.",
    },
  ],
  schedule_at: [],
  error: [
    {
      ...{ key: "source_workflow", label: "Workflow", kind: "workflow", isRequired: true },
      about: "Whose failed runs start this one.",
    },
    {
      ...{ key: "severity", label: "Severities", kind: "choices", options: severities },
      about: "None chosen means all.",
    },
  ],
};

/** The fields of a type. An unknown type has none. */
export function listFieldsOf(type: string, isTrigger: boolean): readonly ItemField[] {
  const fields: Readonly<Record<string, readonly ItemField[]>> = isTrigger
    ? triggerFields
    : nodeFields;
  const own = Object.hasOwn(fields, type) ? (fields[type] ?? []) : [];
  return isTrigger ? own : [...own, ...common];
}

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
