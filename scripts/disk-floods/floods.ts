import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { postRpc, toToolCall } from "../../test/support/rpc.ts";
import type { WorkflowHub } from "../../test/support/workflow-hub.ts";

/** Who floods: a user of the hub, not an admin. */
type Flooder = {
  flow: WorkflowHub;
  /** For `/mcp` and for the management API. */
  token: string;
  manageToken: string;
  /** The operation that every user may call. */
  toolId: string;
};

export type Flood = {
  name: string;
  /** How many of `send` run at once. */
  senders: number;
  /** Settings of the hub. */
  env?: Record<string, string>;
  /** What it makes the hub store. */
  stores: "calls" | "runs" | "changes";
  /** Whether requests of it must be refused with `rate_limited`. */
  isRefused?: boolean;
  /** Prepares it, and returns what is repeated until the end. */
  open(flooder: Flooder): Promise<() => Promise<unknown>>;
};

const workflows = "/manager/api/workflows";
const mebibyte = 1024 ** 2;

/** What one user, or a stranger with the address of a webhook, can make the hub write. */
export const floods: readonly Flood[] = [
  {
    name: "calls, most of them over the limit",
    senders: 16,
    stores: "calls",
    isRefused: true,
    open: async ({ flow, token }) => {
      const query = "x".repeat(500);
      return () => read(postRpc(flow.hub.url, token, toToolCall("hub_search", { query })));
    },
  },
  {
    name: "webhook bodies of 1 MiB from a stranger",
    stores: "runs",
    isRefused: true,
    senders: 4,
    env: { HUB_WORKFLOW_BYTES_PER_DAY: String(64 * mebibyte) },
    open: sendLargeWebhooks,
  },
  {
    name: "the same without a limit of bytes a day",
    stores: "runs",
    senders: 4,
    env: { HUB_WORKFLOW_BYTES_PER_DAY: "0" },
    open: sendLargeWebhooks,
  },
  {
    name: "two workflows that start each other",
    stores: "runs",
    senders: 1,
    async open(flooder) {
      const toBody = (other: string): WorkflowBodyInput => ({
        triggers: [{ id: "start", type: "manual", entry: "first" }],
        nodes: [
          { id: "first", type: "workflow", workflow_id: other, wait: false },
          { id: "second", type: "workflow", workflow_id: other, wait: false },
        ],
        edges: [{ from: "first", to: "second" }],
      });
      const first = await publish(flooder, {
        triggers: [{ id: "start", type: "manual", entry: "set" }],
        nodes: [{ id: "set", type: "set", value: 1 }],
      });
      const second = await publish(flooder, toBody(first));
      await succeed(flooder, "PUT", `${workflows}/${first}/draft`, {
        revision: 1,
        body: toBody(second),
      });
      await succeed(flooder, "POST", `${workflows}/${first}/publish`, { revision: 2 });
      await succeed(flooder, "POST", `${workflows}/${first}/runs`, {});
      return () => Bun.sleep(100);
    },
  },
  {
    name: "20 workflows with a clock of one second",
    stores: "runs",
    senders: 1,
    async open(flooder) {
      for (let count = 0; count < 20; count += 1) {
        await publish(flooder, {
          triggers: [{ id: "tick", type: "cron", schedule: "* * * * * *", entry: "set" }],
          nodes: [{ id: "set", type: "set", value: "x".repeat(4_000) }],
        });
      }
      return () => Bun.sleep(100);
    },
  },
  {
    name: "runs of for_each over 5,000 items with 60 KB each",
    stores: "runs",
    senders: 1,
    env: { HUB_WORKFLOW_BYTES_PER_DAY: String(64 * mebibyte) },
    async open(flooder) {
      const child = await publish(flooder, {
        triggers: [{ id: "start", type: "manual", entry: "set" }],
        nodes: [{ id: "set", type: "set", value: 1 }],
      });
      const id = await publish(flooder, {
        triggers: [{ id: "start", type: "manual", entry: "items" }],
        nodes: [
          { id: "items", type: "code", source: "return Array.from({ length: 5000 }, (_, i) => i)" },
          {
            id: "each",
            type: "workflow",
            workflow_id: child,
            wait: false,
            payload: `{{.Index}} ${"x".repeat(60_000)}`,
            for_each: "{{.Node.items}}",
            items_at_once: 32,
          },
        ],
        edges: [{ from: "items", to: "each" }],
      });
      const runs = `${workflows}/${id}/runs`;
      await succeed(flooder, "POST", runs, {});
      return async () => {
        await Bun.sleep(1_000);
        const { body } = await call(flooder, "GET", runs);
        const [last] = body.runs as Array<{ state: string; error?: unknown }>;
        const failure = last?.state === "failed" ? JSON.stringify(last) : "";
        // The workflow of the items takes no more runs, or may store no more today.
        const isRefused = /no capacity for another run|as much as they may in a day/.test(failure);
        if (failure !== "" && !isRefused) throw new Error(`a run failed: ${failure}`);
        if (last?.state !== "running") await call(flooder, "POST", runs, {});
      };
    },
  },
  {
    name: "drafts of 200 KB, saved again and again",
    stores: "changes",
    senders: 1,
    async open(flooder) {
      const toBody = (text: string): WorkflowBodyInput => ({
        triggers: [{ id: "start", type: "manual", entry: "set" }],
        nodes: [{ id: "set", type: "set", value: text }],
      });
      const { id } = await succeed(flooder, "POST", workflows, { name: "Draft", body: toBody("") });
      let revision = 1;
      return async () => {
        const body = toBody(`${revision} ${"x".repeat(200_000)}`);
        const { status } = await call(flooder, "PUT", `${workflows}/${id}/draft`, {
          revision,
          body,
        });
        if (status === 200) revision += 1;
        else await Bun.sleep(100);
      };
    },
  },
  {
    name: "a workflow disabled and enabled again and again",
    stores: "changes",
    senders: 1,
    async open(flooder) {
      const id = await publish(flooder, {
        triggers: [{ id: "start", type: "manual", entry: "set" }],
        nodes: [{ id: "set", type: "set", value: 1 }],
      });
      let isEnabled = true;
      return async () => {
        await call(flooder, "POST", `${workflows}/${id}/${isEnabled ? "disable" : "enable"}`);
        isEnabled = !isEnabled;
      };
    },
  },
];

async function sendLargeWebhooks(flooder: Flooder): Promise<() => Promise<unknown>> {
  const id = await publish(flooder, {
    triggers: [{ id: "hook", type: "webhook", path: "run", entry: "set" }],
    nodes: [{ id: "set", type: "set", value: 1 }],
  });
  const body = "x".repeat(mebibyte);
  return () => read(flooder.flow.send(id, "run", { body }));
}

async function read(sent: Promise<Response>): Promise<string> {
  return await (await sent).text();
}

const call = ({ flow, manageToken }: Flooder, method: string, path: string, body?: unknown) =>
  flow.api(method, path, body, manageToken);

async function succeed(...[flooder, method, path, body]: Parameters<typeof call>) {
  const answer = await call(flooder, method, path, body);
  if (answer.status < 300) return answer.body;
  throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
}

async function publish(flooder: Flooder, body: WorkflowBodyInput): Promise<string> {
  const { id } = await succeed(flooder, "POST", workflows, { name: "Flood", body });
  await succeed(flooder, "POST", `${workflows}/${id}/publish`, { revision: 1 });
  return String(id);
}
