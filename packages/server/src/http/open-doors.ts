import type { Hono } from "hono";
import { createChangeLimit } from "../changes/change-limit.ts";
import { createRefusalLog } from "../lib/logs/refusal-log.ts";
import { systemTimers } from "../lib/time/timers.ts";
import type { App, AppDeps } from "./app.ts";
import type { AppEnv } from "./app-env.ts";
import { createBodyReaders } from "./bodies/body-readers.ts";
import { createUnreadBodies } from "./bodies/unread-bodies.ts";
import { createClientFinder } from "./clients/find-client.ts";
import { createChannelEndpoint, isChannelEventsUrl } from "./events/channel-endpoint.ts";
import { createWebhookEndpoint, isWebhookUrl } from "./events/webhook-endpoint.ts";
import { findMcpAddress } from "./mcp/mcp-address.ts";
import { createMcpEndpoint } from "./mcp/mcp-endpoint.ts";
import { createRequestQueue } from "./queue/request-queue.ts";
import { createScimEndpoint, isScimUrl } from "./scim/scim-endpoint.ts";

/**
 * What all requests share: whose is next, how bodies are read, who sends. `answerBy` answers `/mcp`, webhooks, events of channels and SCIM
 * without the router, and others by it.
 */
export function openDoors({ log, timers = systemTimers, ...deps }: AppDeps) {
  const refusals = createRefusalLog({ log, timers, metrics: deps.metrics });
  const queue = createRequestQueue({ timers });
  const unread = createUnreadBodies();
  const bodies = createBodyReaders({ timers, queue, unread, bodyBytes: deps.bodyBytes });
  const findClient = createClientFinder({
    isProxy: deps.isProxy ?? (() => false),
    ...(deps.recordForwarder && { recordForwarder: deps.recordForwarder }),
  });
  const parts = { ...deps, ...bodies, queue, findClient, refusals, log, timers };
  // The guards of /mcp are in its endpoint.
  const answerMcp = createMcpEndpoint(parts);
  const answerWebhook = createWebhookEndpoint({ ...parts, ...deps.webhooks });
  const answerChannel = createChannelEndpoint({ ...parts, ...deps.channels });
  const answerScim = createScimEndpoint({
    ...parts,
    services: deps.api.services,
    changes: deps.changes ?? createChangeLimit({ now: timers.now, perDay: 0 }),
  });
  const answerBy =
    (app: Hono<AppEnv>): App["fetch"] =>
    (req, env) => {
      if (findMcpAddress(req.url) !== null) return answerMcp(req, env.server);
      if (isChannelEventsUrl(req.url)) return answerChannel(req, env.server);
      if (isScimUrl(req.url)) return answerScim(req, env.server);
      return isWebhookUrl(req.url) ? answerWebhook(req, env.server) : app.fetch(req, env);
    };
  return { refusals, queue, unread, bodies, findClient, answerBy };
}
