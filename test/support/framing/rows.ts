import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { openBridgeAdmin } from "../bridges/bridge-admin.ts";
import { postRpc, toToolCall } from "../rpc.ts";
import type { RunningHub } from "../start-hub.ts";
import { openWorkflowHub, type WorkflowHub } from "../workflow-hub.ts";

export const allKinds = ["http", "openapi", "mcp", "workflow", "plugin"] as const;
export type Kind = (typeof allKinds)[number];

type FramingRow = {
  /** What its requests carry in `Authorization`. */
  credential: string;
  /** Throws if the call fails. */
  call(operation: string, params: Record<string, unknown>): Promise<void>;
};

type FramingWorkflow = {
  credential: string;
  method: string;
  /** Its body is a text, not JSON. */
  isText: boolean;
  send(payload: { id: string; text: string }): Promise<void>;
};

/** Two rows of each kind, and workflows with an http node, that all send to one host. */
export type FramingRows = {
  http: FramingRow[];
  openapi: FramingRow[];
  mcp: FramingRow[];
  plugin: FramingRow[];
  workflow: FramingWorkflow[];
};

/** Adds the rows to a hub that `startFramingHub` has started. */
export async function addFramingRows(
  hub: RunningHub,
  { url, kinds }: { url: string; kinds: readonly Kind[] },
): Promise<FramingRows> {
  const admin = await openBridgeAdmin(hub);
  const flows = await openWorkflowHub(hub);
  const token = hub.adminToken();
  const port = new URL(url).port;
  let added = 0;

  async function addRow(kind: Kind, address: Record<string, string>): Promise<FramingRow> {
    added += 1;
    const key = `key-of-${kind}-${added}-${port}`;
    const values = kind === "plugin" ? { token: key } : { auth_mode: "bearer", token: key };
    const connector = kind === "plugin" ? "framing" : kind;
    const row = { connector, label: key, values: { ...address, ...values } };
    const { id } = await admin.send<{ id: string }>("POST", "/manager/api/rows", row);
    if (kind === "openapi" || kind === "mcp") {
      await admin.discover(id);
      await admin.approve(id);
    }
    return {
      credential: `Bearer ${key}`,
      async call(operation, params) {
        const args = { tool_id: `conn:${id}/${operation}`, params };
        const answer = await (
          await postRpc(hub.url, token, toToolCall("hub_execute", args))
        ).text();
        if (/"isError":true|"error":\{/.test(answer)) throw new Error(answer.slice(0, 500));
      },
    };
  }

  const two = (kind: Kind, address: Record<string, string>) =>
    inOrder(kinds.includes(kind) ? [0, 1] : [], () => addRow(kind, address));
  const methods = kinds.includes("workflow") ? ["POST", "PUT", "PATCH", "DELETE"] : [];
  const openapi = { document_url: `${url}/openapi.json`, base_url: url };
  return {
    http: await two("http", { base_url: url }),
    openapi: await two("openapi", openapi),
    mcp: await two("mcp", { url: `${url}/mcp` }),
    plugin: await two("plugin", { address: url }),
    workflow: await inOrder(methods, (method, at) =>
      addWorkflow(flows, { method, url, isText: at % 2 === 1, credential: `Bearer flow-${at}` }),
    ),
  };
}

type Sending = Omit<FramingWorkflow, "send"> & { url: string };

async function addWorkflow(flows: WorkflowHub, sending: Sending): Promise<FramingWorkflow> {
  const { method, url, isText, credential } = sending;
  const text = "{{.Event.Payload.body.text}}";
  const body: WorkflowBodyInput = {
    triggers: [{ id: "hook", type: "webhook", entry: "send", respond_mode: "last_node" }],
    nodes: [
      {
        id: "send",
        type: "http",
        method: method as "POST",
        url: `${url}/workflow/{{.Event.Payload.body.id}}`,
        headers: { authorization: credential, ...(isText && { "content-type": "text/plain" }) },
        body: isText ? text : { text },
      },
    ],
    edges: [],
  };
  const id = await flows.publish(body, { name: `${method} ${url}` });
  return {
    credential,
    method,
    isText,
    async send(payload) {
      const headers = { "content-type": "application/json" };
      const init = { headers, body: JSON.stringify(payload) };
      const response = await flows.send(id, "", init);
      const answer = await response.text();
      if (response.status !== 200) throw new Error(`${response.status} ${answer.slice(0, 500)}`);
    },
  };
}

async function inOrder<Item, Made>(
  items: readonly Item[],
  make: (item: Item, at: number) => Promise<Made>,
): Promise<Made[]> {
  const made: Made[] = [];
  for (const [at, item] of items.entries()) made.push(await make(item, at));
  return made;
}
