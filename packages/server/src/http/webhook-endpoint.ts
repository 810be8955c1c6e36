import type { Server } from "bun";
import { HubError, toHubError } from "../errors.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { Timers } from "../lib/timers.ts";
import { toClientNetwork } from "../lib/trusted-proxies.ts";
import type { HotReads } from "../store/hot-reads.ts";
import type { WebhookAnswer } from "../workflows/engine/webhook-answer.ts";
import { awaitAnswer } from "../workflows/webhooks/await-answer.ts";
import {
  findWebhook,
  receiveWebhook,
  type WebhookDeps,
} from "../workflows/webhooks/receive-webhook.ts";
import { createRequestFacts, type RequestFacts } from "../workflows/webhooks/request-facts.ts";
import type { Answered } from "../workflows/webhooks/request-log.ts";
import { parseWebhookPath } from "../workflows/webhooks/webhook-address.ts";
import type { OpenWorkflows } from "../workflows/workflows.ts";
import type { AnsweredHosts } from "./answered-hosts.ts";
import { checkHost } from "./check-host.ts";
import type { ClientFinder } from "./find-client.ts";
import { type ProblemDeps, toProblem } from "./present-problem.ts";
import type { BodyReaders } from "./read-body.ts";

/** What webhooks need beside the guards of the server. */
export type WebhookParts = Omit<WebhookDeps, "workflows"> & {
  reads: Pick<HotReads, "readRunEnd">;
  openWorkflows: OpenWorkflows;
};

type WebhookEndpointDeps = ProblemDeps &
  WebhookParts & {
    hosts: AnsweredHosts;
    findClient: ClientFinder;
    readWebhook: BodyReaders["readWebhook"];
    metrics: Pick<Metrics, "countRequest">;
    timers: Timers;
  };

export type WebhookEndpoint = (req: Request, server?: Server<undefined>) => Promise<Response>;

/** For the list of routes. */
export const webhookRoutes = ["/webhook/*", "/webhook-test/*"].map((path) => ({
  method: "ALL",
  path,
}));

/** Whether a URL, as `Request` writes it, is that of a webhook. */
export function isWebhookUrl(url: string): boolean {
  const pathStart = url.indexOf("/", "https://".length);
  return url.startsWith("/webhook/", pathStart) || url.startsWith("/webhook-test/", pathStart);
}

/**
 * What a workflow answers never runs as a page of the hub: the policy gives it an origin of its own,
 * without scripts.
 */
const answerHeaders = {
  "content-security-policy": "sandbox; default-src 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

/** Longer than a run may take to answer. */
const idleSeconds = 40;

/** The addresses of webhooks, with their guards in the order in which they run. */
export function createWebhookEndpoint(deps: WebhookEndpointDeps): WebhookEndpoint {
  return async (req, server) => {
    const requestId = crypto.randomUUID();
    const startedAt = performance.now();
    const facts = createRequestFacts();
    let failure: HubError | null = null;
    // The address of a webhook can be a secret between its owner and the sender.
    const path = "/webhook/…";
    const response = await answer(deps, req, server, facts).catch((thrown: unknown) => {
      failure = toHubError(thrown);
      return addRetryAfter(failure, toProblem(deps, failure, { path, requestId }));
    });
    await noteRequest(deps, req, facts, {
      ...{ status: response.status, failure },
      durationMs: performance.now() - startedAt,
    });
    for (const [name, value] of Object.entries(answerHeaders)) response.headers.set(name, value);
    // A webhook_respond node may allow caches to keep its answer.
    if (!response.headers.has("cache-control")) response.headers.set("cache-control", "no-store");
    response.headers.set("X-Request-Id", requestId);
    deps.metrics.countRequest("webhook", response.status);
    return response;
  };
}

async function answer(
  deps: WebhookEndpointDeps,
  req: Request,
  server: Server<undefined> | undefined,
  facts: RequestFacts,
): Promise<Response> {
  const client = deps.findClient(req, server);
  checkHost(deps.hosts, client);
  const url = new URL(req.url);
  const address = parseWebhookPath(url.pathname);
  facts.address = address;
  if (address === null) {
    throw new HubError("not_found", "There is no webhook at this address.");
  }
  const { method, headers } = req;
  const incoming = { address, method, headers, query: url.searchParams, ip: client.ip };
  const own = { ...deps, workflows: await deps.openWorkflows() };
  const target = await findWebhook(own, incoming, facts);
  const raw = await deps.readWebhook(req, toClientNetwork(client.ip ?? ""));
  const { runId, trigger } = await receiveWebhook(own, incoming, target, raw, facts);
  const runHeader = { "x-hub-run-id": runId };
  const mode = trigger.respond_mode;
  if (mode === "immediately") {
    return Response.json({ matched: 1 }, { status: 202, headers: runHeader });
  }
  server?.timeout(req, idleSeconds);
  const { engine } = own.workflows;
  const given = await awaitAnswer({ ...deps, watch: engine.watch }, { runId, mode });
  return toResponse(given, runHeader);
}

/** Adds a request to the list that the owner of its workflow sees. */
async function noteRequest(
  { openWorkflows, now }: Pick<WebhookEndpointDeps, "openWorkflows" | "now">,
  { method }: Request,
  facts: RequestFacts,
  answered: Answered,
): Promise<void> {
  const { workflowId, address } = facts;
  // Of addresses without a workflow, there are as many as strangers can think of.
  if (workflowId === null || address === null) return;
  const { requestLog } = await openWorkflows();
  requestLog.note({ ...facts, workflowId, address, method, at: now(), ...answered });
}

/** These statuses have no body. */
const emptyStatuses = new Set([204, 205, 304]);

function toResponse({ status, headers, body }: WebhookAnswer, more: Record<string, string>) {
  const text = emptyStatuses.has(status) ? null : body;
  return new Response(text, { status, headers: { ...headers, ...more } });
}

function addRetryAfter({ detail }: HubError, response: Response): Response {
  const { retry_after_s: seconds, run_id: runId } = detail;
  if (typeof seconds === "number") response.headers.set("retry-after", String(seconds));
  if (typeof runId === "string") response.headers.set("x-hub-run-id", runId);
  return response;
}
