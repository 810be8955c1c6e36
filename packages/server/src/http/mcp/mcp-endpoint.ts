import type { Caller, CallScope } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { Mcp } from "../../mcp/mcp.ts";
import { refusePath } from "../api/serve-api.ts";
import type { BodyReaders } from "../bodies/body-readers.ts";
import { checkContentType } from "../bodies/check-content-type.ts";
import { idleSecondsMax, staleMs } from "../bodies/slow-bodies.ts";
import { findUserAgent } from "../clients/http-client.ts";
import {
  defineGuardedEndpoint,
  type GuardedEndpoint,
  type GuardedEndpointDeps,
  type GuardedRequest,
} from "../events/guarded-endpoint.ts";
import { type BearerDeps, checkBearer } from "../guards/check-bearer.ts";
import { checkOrigin } from "../guards/check-origin.ts";
import { parseBearer } from "../guards/parse-bearer.ts";
import type { RequestQueue } from "../queue/request-queue.ts";
import { toUserQueueKey } from "../queue/request-queue-keys.ts";
import { findMcpAddress, mcpPath } from "./mcp-address.ts";

/** Finds the caller of a request that still runs: see `identity/find-present-caller.ts`. */
export type FindPresentCaller = (token: string, caller: Caller) => Promise<Caller | null>;

type McpEndpointDeps = GuardedEndpointDeps &
  BearerDeps & {
    mcp: Pick<Mcp, "answerPost" | "endSession">;
    readMessage: BodyReaders["readMessage"];
    queue: Pick<RequestQueue, "waitForLane">;
    findPresentCaller: FindPresentCaller;
    timers: Pick<Timers, "now">;
  };

/** The routes below, in the form of the router's. */
export const mcpRoutes = ["POST", "DELETE", "ALL"].map((method) => ({ method, path: mcpPath }));

/**
 * The MCP endpoint with its guards, in the order in which they run. It is no route of the router,
 * because it gets nearly all requests and the router's work on each one costs as much as the guards.
 */
export function createMcpEndpoint(deps: McpEndpointDeps): GuardedEndpoint {
  return defineGuardedEndpoint(deps, {
    door: "mcp",
    loggedPath: mcpPath,
    answer: (request) => answer(deps, request),
  });
}

async function answer(deps: McpEndpointDeps, request: GuardedRequest): Promise<Response> {
  const { method, headers, url } = request.req;
  checkOrigin(deps.hosts, headers);
  const known = await checkBearer(deps, { headers, url }, { ip: request.client.ip });
  if (known instanceof Response) return known;
  const address = findMcpAddress(url);
  if (address === null) throw refusePath(new URL(url).pathname);
  const { scope } = address;
  switch (method) {
    case "POST":
      return await answerPost(deps, request, known, scope);
    case "DELETE":
      deps.mcp.endSession({ headers, caller: { ...known, scope } });
      return new Response(null, { status: 204 });
    default:
      // The hub pushes no messages, so GET is not supported.
      throw new HubError("method_not_allowed", "Send MCP messages by POST.");
  }
}

async function answerPost(
  deps: McpEndpointDeps,
  { req, server, client }: GuardedRequest,
  known: Caller,
  scope: CallScope | null,
): Promise<Response> {
  const { mcp, findPresentCaller, timers } = deps;
  const startedAt = timers.now();
  const queueKey = toUserQueueKey(known.userId);
  const body = await deps.readMessage(req, queueKey);
  const isStale = timers.now() - startedAt > staleMs;
  const caller = isStale ? await checkBearer(deps, req, { ip: client.ip }) : known;
  if (caller instanceof Response) return caller;
  checkContentType(req.headers);
  return await mcp.answerPost({
    body,
    headers: req.headers,
    caller: { ...caller, scope },
    async findCaller() {
      const { token } = parseBearer(req.headers.get("authorization"));
      const present = token === null ? null : await findPresentCaller(token, caller);
      return present === null ? null : { ...present, scope };
    },
    origin: { ip: client.ip, userAgent: findUserAgent(req.headers) },
    disconnectSignal: () => req.signal,
    waitForTurn: (signal) => deps.queue.waitForLane(queueKey, () => signal),
    holdOpen() {
      server?.timeout(req, 0);
      return () => server?.timeout(req, idleSecondsMax);
    },
  });
}
