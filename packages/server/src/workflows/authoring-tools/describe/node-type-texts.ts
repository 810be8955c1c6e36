import type { WorkflowNode } from "@hub/contract/workflow-node.ts";

/** What a model must know of a node type besides its schema. */
export type NodeTypeText = {
  summary: string;
  /** What `.Node.<id>` is. */
  output: string;
  /** The cases that its edges name. */
  cases?: readonly string[];
  example: Record<string, unknown>;
  /** Edges of the example, if it has cases. */
  edges?: readonly Record<string, string>[];
};

const row = "conn:ROW-ID";

export const nodeTypeTexts: { [Type in WorkflowNode["type"]]: NodeTypeText } = {
  operation: {
    summary: "Calls a tool of this hub, as the owner. Find tool_id and params with hub_search.",
    output:
      "The tool's result, as hub_execute returns it. Of an http row: {status, headers, body}.",
    example: {
      id: "open",
      type: "operation",
      tool_id: `${row}/post`,
      params: { path: "/issues", body: { title: "{{.Event.Payload.body.title}}" } },
    },
  },
  http: {
    summary:
      "Sends a request to a public address. For admins' workflows, unless the hub allows all users. For credentials use an operation of a row.",
    output: "{status, headers, body}; body is a value if the answer is JSON.",
    example: {
      id: "load",
      type: "http",
      url: "https://api.example.com/items",
      query: { since: "{{.Event.At}}" },
    },
  },
  branch: {
    summary:
      'Goes on along true or false. op: eq ne lt le gt ge contains starts_with ends_with matches in is_empty is_not_empty is_true; the last three have no right. A text that is a number counts as one: "12" is gt 10, and eq 12. eq and ne of two texts compare their characters.',
    output: "true or false.",
    cases: ["true", "false"],
    example: {
      id: "urgent",
      type: "branch",
      conditions: [{ left: "{{.Event.Payload.body.severity}}", op: "ge", right: 3 }],
    },
    edges: [
      { from: "urgent", to: "alarm", case: "true" },
      { from: "urgent", to: "log", case: "false" },
    ],
  },
  switch: {
    summary:
      "Goes on along the first case that holds, or along default. Without op it is eq; values compare as in branch.",
    output: "The name of the case.",
    cases: ["the names of its cases", "default"],
    example: {
      id: "kind",
      type: "switch",
      value: "{{.Event.Payload.body.type}}",
      cases: [
        { case: "order", right: "order" },
        { case: "refund", op: "starts_with", right: "refund" },
      ],
    },
    edges: [
      { from: "kind", to: "ship", case: "order" },
      { from: "kind", to: "ignore", case: "default" },
    ],
  },
  set: {
    summary: "Makes a value for other nodes: any JSON, whose texts are templates.",
    output: "The value.",
    example: {
      id: "report",
      type: "set",
      value: { title: "Open: {{len .Node.list.body.items}}", items: "{{.Node.list.body.items}}" },
    },
  },
  code: {
    summary:
      "Runs JavaScript: the body of a function with event, node and env as in templates (event.Payload.body, node.list.body). No network, no files, no imports, no templates in source. Return a JSON value. timeout_ms (1000 if left out) and timeout_s both limit it, and the shorter one wins.",
    output: "What it returns.",
    example: {
      id: "total",
      type: "code",
      source:
        "const { items } = event.Payload.body; return { sum: items.reduce((sum, item) => sum + item.price, 0) };",
    },
  },
  wait: {
    summary: "Waits for seconds, or until a time: at most 30 days.",
    output: "{until}.",
    example: { id: "pause", type: "wait", seconds: 60 },
  },
  approval: {
    summary:
      "Waits until a person decides on the hub's page or in chat; models cannot decide. Name approvers by tags or e-mail addresses, and in values what decides: label and value, at most 10.",
    output: "{by, at, comment}.",
    cases: ["approved", "denied", "expired"],
    example: {
      id: "ask",
      type: "approval",
      title: "Refund {{.Event.Payload.body.amount}}?",
      values: [{ label: "Amount", value: "{{.Event.Payload.body.amount}}" }],
      approvers: { tags: ["support"], users: [] },
      expires_s: 86_400,
    },
    edges: [{ from: "ask", to: "refund", case: "approved" }],
  },
  workflow: {
    summary: "Runs the published version of another workflow, as its owner.",
    output: "The other run's last output; with wait: false its run id.",
    example: {
      id: "report",
      type: "workflow",
      workflow_id: "daily-report-k3x9qa",
      payload: { account: "{{.Event.Payload.account}}" },
    },
  },
  channel: {
    summary: "Sends to a chat channel. workflow_integration lists channels, their ops and args.",
    output: "What the chat platform answers.",
    example: {
      id: "tell",
      type: "channel",
      channel: "team-chat",
      op: "send_message",
      args: { channel: "C0123", text: "Failed: {{.Event.Payload.error.message}}" },
    },
  },
  webhook_respond: {
    summary:
      "Answers the request of a webhook trigger with respond_mode: respond_node. respond_body is a text: write JSON with toJSON.",
    output: "{status, headers, body}.",
    example: {
      id: "answer",
      type: "webhook_respond",
      respond_status: 201,
      respond_body: '{"total": {{toJSON .Node.total.sum}}}',
    },
  },
  fail: {
    summary:
      "Ends the run as failed. Error triggers of other workflows start, but not after dry runs.",
    output: "None.",
    example: { id: "stop", type: "fail", message: "No items.", severity: "warning" },
  },
};
