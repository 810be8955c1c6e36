import type { Server } from "bun";
import type { Caller } from "../caller.ts";
import { HubError } from "../errors.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { Mcp } from "../mcp/mcp.ts";
import type { AnsweredHosts } from "./answered-hosts.ts";
import { type BearerDeps, checkBearer } from "./check-bearer.ts";
import { checkContentType } from "./check-content-type.ts";
import { checkHost } from "./check-host.ts";
import { checkOrigin } from "./check-origin.ts";
import type { Client } from "./client.ts";
import type { ClientFinder } from "./find-client.ts";
import { findUserAgent } from "./find-user-agent.ts";
import { idleSecondsMax } from "./idle-seconds.ts";
import { type ProblemDeps, toProblem } from "./present-problem.ts";
import type { BodyReaders } from "./read-body.ts";

type McpEndpointDeps = BearerDeps &
  ProblemDeps & {
    mcp: Pick<Mcp, "answerPost" | "endSession">;
    hosts: AnsweredHosts;
    findClient: ClientFinder;
    readMessage: BodyReaders["readMessage"];
    metrics: Pick<Metrics, "countRequest">;
  };

/** A request that has passed the guards of every method. */
type Admitted = { req: Request; server: Server<undefined> | undefined; client: Client };

export type McpEndpoint = (req: Request, server?: Server<undefined>) => Promise<Response>;

export const mcpPath = "/mcp";

/** The routes below, in the form of the router's. */
export const mcpRoutes = ["POST", "DELETE", "ALL"].map((method) => ({ method, path: mcpPath }));

/** Whether a URL, as `Request` writes it, is that of the endpoint. */
export function isMcpUrl(url: string): boolean {
  const pathStart = url.indexOf("/", "https://".length);
  if (!url.startsWith(mcpPath, pathStart)) return false;
  const next = url[pathStart + mcpPath.length];
  return next === undefined || next === "?" || next === "#";
}

/**
 * The MCP endpoint with its guards, in the order in which they run. It is no route of the router,
 * because it gets nearly all requests and the router's work on each one costs as much as the guards.
 */
export function createMcpEndpoint(deps: McpEndpointDeps): McpEndpoint {
  return async (req, server) => {
    const requestId = crypto.randomUUID();
    const response = await answer(deps, req, server).catch((thrown: unknown) =>
      toProblem(deps, thrown, { path: mcpPath, requestId }),
    );
    response.headers.set("X-Request-Id", requestId);
    deps.metrics.countRequest("mcp", response.status);
    return response;
  };
}

async function answer(
  deps: McpEndpointDeps,
  req: Request,
  server: Server<undefined> | undefined,
): Promise<Response> {
  const { headers } = req;
  const client = deps.findClient(req, server);
  checkHost(deps.hosts, client);
  checkOrigin(deps.hosts, headers);
  const caller = await checkBearer(deps, headers);
  if (caller instanceof Response) return caller;
  switch (req.method) {
    case "POST":
      return await answerPost(deps, { req, server, client }, caller);
    case "DELETE":
      deps.mcp.endSession({ headers, caller });
      return new Response(null, { status: 204 });
    default:
      // The hub pushes no messages, so GET is not supported.
      throw new HubError("method_not_allowed", "Send MCP messages by POST.");
  }
}

async function answerPost(
  { mcp, readMessage }: McpEndpointDeps,
  { req, server, client }: Admitted,
  caller: Caller,
): Promise<Response> {
  const body = await readMessage(req, caller.userId);
  checkContentType(req.headers);
  return await mcp.answerPost({
    body,
    headers: req.headers,
    caller,
    origin: { ip: client.ip, userAgent: findUserAgent(req.headers) },
    disconnectSignal: () => req.signal,
    holdOpen() {
      server?.timeout(req, 0);
      return () => server?.timeout(req, idleSecondsMax);
    },
  });
}
