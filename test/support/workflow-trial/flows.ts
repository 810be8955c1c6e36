import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import type { WorkflowHub } from "../workflow-hub.ts";

type Nodes = NonNullable<WorkflowBodyInput["nodes"]>;
type Node = Nodes[number];

/** How long the runs of `timer` wait, in ms. */
const napMs = 2000;

/** The workflows of a trial that webhooks start. */
export const flowNames = [
  ...["once", "repeats", "timer", "join", "each", "retry", "answer", "last", "fails"],
  ...["queue", "drop", "later", "sub", "cancel", "asked"],
] as const;
export type FlowName = (typeof flowNames)[number];

/** Flows whose requests wait for what the run answers. */
export const isBlocking = (flow: FlowName) => flow === "answer" || flow === "last";
/** Nodes whose requests must not be repeated. */
export const onceNodes = ["once", "limited", "asked"];

export type Flows = Record<FlowName | "cron", string>;

export async function publishFlows(hub: WorkflowHub, url: string): Promise<Flows> {
  const rowId = await addAskedRow(hub, url);
  const send = (id: string, method: "GET" | "POST" = "GET", more: object = {}): Node => ({
    id,
    type: "http" as const,
    method,
    url: `${url}/{{.Run.ID}}/${id}/-1`,
    ...more,
  });
  const again = { repeat: true };
  const publish = (name: string, body: WorkflowBodyInput) => hub.publish(body, { name });
  const hook = (entry: string, more: object = {}) => ({
    id: "hook",
    type: "webhook" as const,
    entry,
    ...more,
  });
  const chain = (nodes: Nodes, more: WorkflowBodyInput = {}, hooked = {}): WorkflowBodyInput => ({
    triggers: [hook(nodes[0]?.id ?? "", hooked)],
    nodes,
    edges: nodes.slice(1).map(({ id }, at) => ({ from: nodes[at]?.id ?? "", to: id })),
    settings: { queue: { runs_at_once: 64, waiting_max: 10_000 } },
    ...more,
  });
  const set = (id: string, value: unknown): Node => ({ id, type: "set", value });
  const queued = (policy: "queue" | "drop") =>
    chain([send("enter", "POST", again), send("middle"), send("leave", "POST", again)], {
      settings: { queue: { policy, waiting_max: 10_000 } },
    });
  const copy = set("copy", "{{.Event.Payload.raw}}");
  const [left, right] = [send("left"), send("right", "POST", again)];
  const joined: WorkflowBodyInput = {
    ...chain([set("split", 1), left, right, send("both")]),
    edges: [
      { from: "split", to: "left" },
      { from: "split", to: "right" },
      { from: "left", to: "both" },
      { from: "right", to: "both" },
    ],
  };
  const items = { for_each: "{{.Node.list}}", items_at_once: 3, ...again };
  const many = send("many", "POST", { ...items, url: `${url}/{{.Run.ID}}/many/{{.Index}}` });
  const retry = { retry: { attempts: 3, backoff_s: 0 } };
  const child = await publish("Child", {
    ...chain([send("kid")]),
    triggers: [{ id: "manual", type: "manual", entry: "kid" }],
  });
  const fails = await publish("fails", chain([send("bad")]));
  await publish("Alarm", {
    ...chain([send("alarm")]),
    triggers: [{ id: "failed", type: "error", entry: "alarm", source_workflow: fails }],
  });
  const later: WorkflowBodyInput = {
    ...chain([set("plan", { schedule_at: "{{.Event.Payload.body.at}}" })]),
    triggers: [hook("plan"), { id: "at", type: "schedule_at", entry: "due" }],
  };
  const reply: Node = {
    id: "reply",
    type: "webhook_respond",
    respond_body: "{{.Event.Payload.raw}}",
  };
  const flows: Record<Exclude<FlowName, "fails">, WorkflowBodyInput> = {
    once: chain([copy, send("once", "POST")]),
    repeats: chain([copy, ...["one", "two", "three"].map((id) => send(id, "POST", again))]),
    timer: chain([{ id: "nap", type: "wait", seconds: napMs / 1000 }, send("after")]),
    join: joined,
    each: chain([set("list", [0, 1, 2, 3, 4]), many, send("sum")]),
    retry: chain([send("flaky", "GET", retry), send("limited", "POST", retry)]),
    answer: chain([send("work"), reply], {}, { respond_mode: "respond_node" }),
    last: chain([send("work"), copy], {}, { respond_mode: "last_node" }),
    queue: queued("queue"),
    drop: queued("drop"),
    later: { ...later, nodes: [...(later.nodes ?? []), send("due")] },
    sub: chain([
      { id: "child", type: "workflow", workflow_id: child, payload: {} },
      send("parent"),
    ]),
    asked: chain([
      copy,
      {
        id: "asked",
        type: "operation",
        tool_id: `conn:${rowId}/post`,
        params: { path: "/{{.Run.ID}}/asked/-1" },
      },
    ]),
    cancel: chain([{ id: "nap", type: "wait", seconds: 600 }, send("never")]),
  };
  const ids: Partial<Flows> = { fails };
  for (const name of flowNames) if (name !== "fails") ids[name] = await publish(name, flows[name]);
  ids.cron = await publish("Ticks", {
    ...chain([send("tock")]),
    triggers: [{ id: "tick", type: "cron", schedule: "* * * * * *", entry: "tock" }],
  });
  // Safe: each name was given its id.
  return ids as Flows;
}

/** A row of the outside system about whose calls a rule asks the owner. */
async function addAskedRow({ api, hub }: WorkflowHub, url: string): Promise<string> {
  const values = { base_url: url };
  const row = { connector: "http", label: "Asked", tags: ["everyone"], values };
  const { status, body } = await api("POST", "/manager/api/rows", row);
  if (status >= 300) throw new Error(`The row was not added: ${JSON.stringify(body)}`);
  const { exitCode, stderr } = await hub.cli("rule", "set", String(body.id), "--asks", "always");
  if (exitCode !== 0) throw new Error(stderr);
  return String(body.id);
}
