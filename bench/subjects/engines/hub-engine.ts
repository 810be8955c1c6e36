import { Database } from "bun:sqlite";
import { join } from "node:path";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import type { Bench } from "../../measure.ts";
import { createAdminToken } from "../hub-folder.ts";
import { startHub } from "../hub-program.ts";
import { awaitWebhook, ownAnswer, type Webhook, type WorkflowEngine } from "./workflow-engine.ts";

export type HubEngine = WorkflowEngine & {
  /** The same as `immediate`, but the call is a request to the outside system. */
  calling: Webhook;
  /** A new workflow whose first run waits for a day, so that further runs are stored and wait. */
  publishStoring(): Promise<Webhook>;
  /** The number of distinct runs of a webhook that have finished. */
  countRuns(webhook: Webhook): Promise<number>;
};

const env = { HUB_WORKFLOW_REQUESTS_PER_MINUTE: "0" };
const matched = JSON.stringify({ matched: 1 });
const queue = { runs_at_once: 64, waiting_max: 10_000 };

/** A hub with workflows, on SQLite. Their owner is an admin, because `http` nodes are for admins. */
export async function startHubEngine(bench: Bench, sinkUrl: string): Promise<HubEngine> {
  const dataDir = await bench.createFolder();
  const token = await createAdminToken(dataDir);
  const settings = { ...env, HUB_WORKFLOW_OUTBOUND_ALLOW: "127.0.0.1" };
  const first = await startHub(bench, dataDir, undefined, settings);
  const given = { token, sinkUrl };
  const ids = await publishAll({ ...given, url: first.url }).finally(first[Symbol.asyncDispose]);

  const startedAt = performance.now();
  const hub = await startHub(bench, dataDir, undefined, settings);
  const toWebhook = (id: string, answer = matched): Webhook => ({
    url: `${hub.url}/webhook/${id}/run`,
    answer,
  });
  const answering = toWebhook(ids.answering, ownAnswer);
  await awaitWebhook(answering);
  const startedInMs = performance.now() - startedAt;
  const immediate = toWebhook(ids.immediate);
  const countRuns = async ({ url }: Webhook) => {
    using database = new Database(join(dataDir, "hub.sqlite"), { readonly: true });
    const found = database
      .query<{ count: number }, [string]>(
        "select count(*) as count from workflow_runs where workflow_id = ? and state = 'succeeded'",
      )
      .get(url.split("/").at(-2) ?? "");
    return found?.count ?? 0;
  };
  return {
    about: `hub of this checkout, SQLite, ${JSON.stringify(env)}, ${JSON.stringify(queue)}`,
    pid: hub.pid,
    startedInMs,
    immediate,
    answering,
    calling: toWebhook(ids.calling),
    countRuns,
    countFinished: () => countRuns(immediate),
    async publishStoring() {
      const storing = toWebhook(await publish({ ...given, url: hub.url }, storingBody));
      await awaitWebhook(storing);
      return storing;
    },
    [Symbol.asyncDispose]: hub[Symbol.asyncDispose],
  };
}

type Hub = { url: string; token: string; sinkUrl: string };

async function publishAll(hub: Hub) {
  const { rows } = await callApi(hub, "GET", "/manager/api/rows");
  const whoami = { type: "operation" as const, tool_id: `conn:${rows[0].id}/whoami`, params: {} };
  const http = { type: "http" as const, url: `${hub.sinkUrl}/done`, query: { id } };
  const answer = { type: "webhook_respond" as const, respond_body: "{{toJSON .Node.value}}" };
  return {
    immediate: await publish(hub, toBody(whoami, "immediately")),
    calling: await publish(hub, toBody(http, "immediately")),
    answering: await publish(hub, toBody(answer, "respond_node")),
  };
}

const id = "{{.Event.Payload.body.id}}";
const n = "{{.Event.Payload.body.n}}";

function toBody(
  last: { type: "operation" | "http" | "webhook_respond" } & Record<string, unknown>,
  mode: "immediately" | "respond_node",
): unknown {
  return {
    triggers: [{ id: "hook", type: "webhook", path: "run", entry: "check", respond_mode: mode }],
    nodes: [
      { id: "check", type: "branch", conditions: [{ left: n, op: "gt", right: 1 }] },
      { id: "value", type: "set", value: { n } },
      { id: "last", ...last },
    ],
    edges: [
      { from: "check", to: "value", case: "true" },
      { from: "value", to: "last" },
    ],
    settings: { queue },
  } satisfies WorkflowBodyInput | Record<string, unknown>;
}

const storingBody: WorkflowBodyInput = {
  triggers: [{ id: "hook", type: "webhook", path: "run", entry: "wait" }],
  nodes: [{ id: "wait", type: "wait", seconds: 86_400 }],
  settings: { queue: { policy: "queue", waiting_max: queue.waiting_max } },
};

async function publish(hub: Hub, body: unknown): Promise<string> {
  const created = await callApi(hub, "POST", "/manager/api/workflows", { name: "Bench", body });
  await callApi(hub, "POST", `/manager/api/workflows/${created.id}/publish`, { revision: 1 });
  return created.id;
}

// The bench knows what the API answers.
async function callApi({ url, token }: Hub, method: string, path: string, body?: unknown) {
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
  return JSON.parse(text);
}
