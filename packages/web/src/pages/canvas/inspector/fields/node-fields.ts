import type { NodeType } from "../../graph/item-types.ts";
import { type ItemField, severities } from "../inputs/node-field-spec.ts";

const forEach: readonly ItemField[] = [
  {
    key: "for_each",
    label: "For each",
    kind: "text",
    isTemplate: true,
    isMore: true,
    about: "A template that gives a list. The node runs once for each item, as .Item and .Index.",
  },
  {
    key: "items_at_once",
    label: "Items at once",
    kind: "number",
    default: "1",
    isMore: true,
    about: "How many items run at the same time, 1 to 32.",
  },
];
const repeat: ItemField = {
  key: "repeat",
  label: "Repeat after unclear failures",
  kind: "toggle",
  isMore: true,
  about: "Also after a failure that may have had effects, such as a timeout.",
};

/** The fields of each type of node, without those that all types have. */
export const nodeFields: Readonly<Record<NodeType, readonly ItemField[]>> = {
  operation: [
    { key: "tool_id", label: "Operation", kind: "operation", isRequired: true },
    { key: "params", label: "Inputs", kind: "params", isTemplate: true },
    ...forEach,
    repeat,
  ],
  http: [
    {
      key: "method",
      label: "Method",
      kind: "choice",
      default: "GET",
      options: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"].map((one) => [one, one]),
    },
    {
      key: "url",
      label: "Address",
      kind: "text",
      isTemplate: true,
      isRequired: true,
      about: "Such as https://api.example.com/orders. It must be public.",
    },
    {
      key: "query",
      label: "Query",
      kind: "texts",
      isTemplate: true,
      about: "Added to the address and encoded.",
    },
    {
      key: "headers",
      label: "Headers",
      kind: "texts",
      isTemplate: true,
      about: "A value such as Bearer {{.Secret.API_KEY}} stays secret.",
    },
    {
      key: "body",
      label: "Body",
      kind: "json",
      isTemplate: true,
      about: "A JSON text is sent as it is, any other value as JSON.",
    },
    {
      key: "body_base64",
      label: "Body in base64",
      kind: "text",
      isTemplate: true,
      isMore: true,
      about: "Bytes instead of Body, such as {{.Event.Payload.raw_base64}}.",
    },
    ...forEach,
    repeat,
  ],
  branch: [
    { key: "conditions", label: "Conditions", kind: "conditions", isTemplate: true },
    {
      key: "match",
      label: "Goes on along true if",
      kind: "choice",
      default: "all",
      options: [
        ["all", "all conditions hold"],
        ["any", "one condition holds"],
      ],
    },
  ],
  switch: [
    {
      key: "value",
      label: "Value",
      kind: "text",
      isTemplate: true,
      isRequired: true,
      about: "What the cases compare, such as {{.Event.Payload.kind}}.",
    },
    { key: "cases", label: "Cases", kind: "cases", isTemplate: true },
  ],
  set: [
    {
      key: "value",
      label: "Value",
      kind: "json",
      isTemplate: true,
      isRequired: true,
      about: "Any JSON value. Its texts may be templates.",
    },
  ],
  code: [
    {
      key: "source",
      label: "JavaScript",
      kind: "code",
      isRequired: true,
      about: "The body of a function. The output is what it returns.",
    },
    { key: "timeout_ms", label: "Time limit in milliseconds", kind: "number", default: "1000" },
    ...forEach,
  ],
  wait: [
    {
      key: "seconds",
      label: "Seconds",
      kind: "number",
      isTemplate: true,
      about: "At most 30 days. Either this or a time.",
    },
    {
      key: "until",
      label: "Until",
      kind: "text",
      isTemplate: true,
      about: "A time as ISO 8601 with an offset, or Unix seconds.",
    },
  ],
  approval: [
    { key: "title", label: "Question", kind: "text", isTemplate: true, isRequired: true },
    {
      key: "details",
      label: "Details",
      kind: "lines",
      isTemplate: true,
      about: "What the approvers need to know.",
    },
    {
      key: "values",
      label: "Values that decide",
      kind: "values",
      isTemplate: true,
      about:
        "Approvers see them first. Without them, they see the first five inputs of the next step.",
    },
    { key: "approvers", label: "Approvers", kind: "approvers", isRequired: true },
    {
      key: "expires_s",
      label: "Expires after",
      kind: "duration",
      default: "86400",
      about: "From one minute to 30 days. It then goes on along expired.",
    },
    {
      key: "self",
      label: "The starter may decide",
      kind: "toggle",
      about: "Also who saved or published the workflow last. They must be approvers, too.",
    },
  ],
  workflow: [
    { key: "workflow_id", label: "Workflow", kind: "workflow", isRequired: true },
    {
      key: "payload",
      label: "Payload",
      kind: "json",
      isTemplate: true,
      about: "The other workflow reads it as .Event.Payload.",
    },
    {
      key: "wait",
      label: "Wait for its end",
      kind: "toggle",
      default: "true",
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
      key: "respond_status",
      label: "Status",
      kind: "number",
      isTemplate: true,
      default: "200",
      about: "The HTTP status, 200 to 599.",
    },
    {
      key: "respond_body",
      label: "Body",
      kind: "lines",
      isTemplate: true,
      about: "Text or JSON. {{ inserts what the request or an earlier node gave.",
    },
    {
      key: "respond_headers",
      label: "Headers",
      kind: "texts",
      isTemplate: true,
      about: "Without Content-Type, it is JSON or plain text, by the body.",
    },
  ],
  fail: [
    {
      key: "message",
      label: "Error",
      kind: "lines",
      isTemplate: true,
      isRequired: true,
      about: "What the list of runs says.",
    },
    {
      key: "severity",
      label: "Severity",
      kind: "choice",
      about: "Triggers of other workflows can start for some severities only.",
      options: [["", "As the workflow's settings say"], ...severities],
    },
  ],
};
