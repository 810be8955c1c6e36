import { errorTable, HubError, toHubError } from "../../errors.ts";
import type { SpaceGuard } from "../../lib/files/space-guard.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { HotReads } from "../../store/database/hot-reads.ts";
import type { CallCounts } from "../../store/limits/call-counts.ts";
import type { WebhookAnswer } from "../../workflows/engine/walk/webhook-answer.ts";
import { awaitAnswer } from "../../workflows/webhooks/answer/await-answer.ts";
import type { Answered } from "../../workflows/webhooks/deliveries/request-log.ts";
import {
  findWebhook,
  receiveWebhook,
  type WebhookDeps,
} from "../../workflows/webhooks/receive/receive-webhook.ts";
import {
  createRequestFacts,
  type RequestFacts,
} from "../../workflows/webhooks/receive/request-facts.ts";
import {
  createWebhookPace,
  type WebhookPace,
} from "../../workflows/webhooks/receive/webhook-pace.ts";
import { parseWebhookPath } from "../../workflows/webhooks/webhook-address.ts";
import type { OpenWorkflows } from "../../workflows/workflows.ts";
import type { BodyReaders } from "../bodies/body-readers.ts";
import { createNetworkPace, type NetworkPace } from "../queue/network-pace.ts";
import type { RequestQueueKey } from "../queue/request-queue.ts";
import { toStrangerQueueKey } from "../queue/request-queue-keys.ts";
import {
  addForeignHeaders,
  defineGuardedEndpoint,
  type GuardedEndpoint,
  type GuardedEndpointDeps,
  type GuardedRequest,
} from "./guarded-endpoint.ts";
import { addCorsHeaders, answerWithoutRun } from "./webhook-questions.ts";

/** What webhooks need beside the guards of the server. */
export type WebhookParts = Omit<WebhookDeps, "workflows" | "pace"> & {
  counts: CallCounts;
  /** Accepted requests of one workflow, per minute. */
  perMinute: number;
  reads: Pick<HotReads, "readRunEnd">;
  openWorkflows: OpenWorkflows;
};

type WebhookEndpointDeps = GuardedEndpointDeps &
  WebhookParts & {
    readWebhook: BodyReaders["readWebhook"];
    /** The hub's address for clients, without a trailing slash. */
    baseUrl: string;
    space: SpaceGuard;
    timers: Timers;
  };

type PacedDeps = WebhookEndpointDeps & {
  pace: WebhookPace;
  networkPace: NetworkPace;
  open(): Promise<OpenedDeps>;
};
type OpenedDeps = WebhookEndpointDeps & WebhookDeps;
type PacedRequest = GuardedRequest & { queueKey: RequestQueueKey; onVerified(): void };

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

/** Longer than a run may take to answer. */
const idleSeconds = 40;

/** The addresses of webhooks, with their guards in the order in which they run. */
export function createWebhookEndpoint(given: WebhookEndpointDeps): GuardedEndpoint {
  const pace = createWebhookPace(given);
  let opened: OpenedDeps | null = null;
  const deps = {
    ...given,
    pace,
    networkPace: createNetworkPace({ now: given.timers.now }),
    async open() {
      const workflows = await given.openWorkflows();
      opened ??= { ...given, pace, workflows };
      return opened;
    },
  };
  return defineGuardedEndpoint(deps, {
    door: "webhook",
    // The address of a webhook can be a secret between its owner and the sender.
    loggedPath: "/webhook/…",
    addHeaders(headers, failure) {
      addForeignHeaders(headers);
      // A webhook_respond node may allow caches to keep its answer.
      if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
      const runId = failure?.detail.run_id;
      if (typeof runId === "string") headers.set("x-hub-run-id", runId);
      const encodings = failure?.detail.accept_encoding;
      if (typeof encodings === "string") headers.set("accept-encoding", encodings);
      const scheme = failure?.detail.scheme;
      if (typeof scheme === "string") headers.set("www-authenticate", `${scheme} realm="webhook"`);
    },
    answer: (request) => answerAndRecord(deps, request),
  });
}

/** Adds each request to the list that the owner of its workflow sees. */
async function answerAndRecord(deps: PacedDeps, request: GuardedRequest): Promise<Response> {
  const { req } = request;
  const startedAt = performance.now();
  const facts = createRequestFacts();
  const record = (status: number, failure: HubError | null) =>
    recordRequest(deps, req, facts, { status, failure, durationMs: performance.now() - startedAt });
  let response: Response;
  try {
    response = await answer(deps, request, facts);
  } catch (thrown) {
    const failure = toHubError(thrown);
    await record(errorTable[failure.code].httpStatus, failure);
    throw failure;
  }
  await record(response.status, null);
  return response;
}

/** Counts a request for its network until its signature is valid. */
async function answer(
  deps: PacedDeps,
  request: GuardedRequest,
  facts: RequestFacts,
): Promise<Response> {
  const queueKey = toStrangerQueueKey(request.client.ip);
  const paced = deps.networkPace.begin(request.req, request.client.ip ?? "");
  try {
    return await answerPaced(deps, { ...request, queueKey, onVerified: paced.accept }, facts);
  } catch (err) {
    throw paced.toRefusal(err);
  }
}

async function answerPaced(
  deps: PacedDeps,
  { req, server, client, queueKey, onVerified, added }: PacedRequest,
  facts: RequestFacts,
): Promise<Response> {
  const url = new URL(req.url);
  const address = parseWebhookPath(url.pathname);
  facts.address = address;
  if (address === null) {
    throw new HubError("not_found", "There is no webhook at this address.");
  }
  const { method, headers } = req;
  const sentTo = `${deps.baseUrl}${url.pathname}${url.search}`;
  const query = url.searchParams;
  const incoming = { address, method, headers, query, url: sentTo, ip: client.ip };
  const own = await deps.open();
  const answered = await answerWithoutRun(own, { address, method, headers, added });
  if (answered !== null) return answered;
  const target = await findWebhook(own, incoming, facts);
  addCorsHeaders(added, target.trigger, headers);
  deps.pace.checkBefore({ workflowId: target.workflow.id, isTest: address.isTest });
  own.workflows.engine.requireStorage(target.workflow);
  deps.space.requireSpace();
  const { raw, hold, release } = await deps.readWebhook(req, queueKey);
  const sent = { ...incoming, raw, hold, onVerified };
  const received = receiveWebhook(own, sent, target, facts);
  const { runId, trigger } = await received.finally(release);
  const runHeader = { "x-hub-run-id": runId };
  const mode = trigger.respond_mode;
  if (mode === "immediately") {
    return Response.json({ matched: 1 }, { status: 202, headers: runHeader });
  }
  server?.timeout(req, idleSeconds);
  const { engine } = own.workflows;
  const { reads, timers } = own;
  const given = await awaitAnswer({ reads, timers, watch: engine.watch }, { runId, mode });
  return toResponse(given, runHeader);
}

async function recordRequest(
  { open, now }: Pick<PacedDeps, "open" | "now">,
  { method }: Request,
  facts: RequestFacts,
  answered: Answered,
): Promise<void> {
  const { workflowId, address } = facts;
  // Of addresses without a workflow, there are as many as strangers can think of.
  if (workflowId === null || address === null) return;
  const { workflows } = await open();
  workflows.requestLog.record({ ...facts, workflowId, address, method, at: now(), ...answered });
}

/** These statuses have no body. */
const emptyStatuses = new Set([204, 205, 304]);

function toResponse({ status, headers, body }: WebhookAnswer, more: Record<string, string>) {
  const text = emptyStatuses.has(status) ? null : body;
  return new Response(text, { status, headers: { ...headers, ...more } });
}
