import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { matchedRoutes } from "hono/route";
import type { Tracing } from "../lib/tracing/tracing.ts";
import type { AppEnv } from "./app-env.ts";
import { findMcpAddress, mcpPath } from "./mcp/mcp-address.ts";

type Fetch = (req: Request, env: AppEnv["Bindings"]) => Response | Promise<Response>;

/** The template of the path of each answered request. */
export type RoutesOfAnswers = WeakMap<Request, string>;

/** Records the template of the path, because a path can contain the id of a row. */
export function createRouteRecorder(routes: RoutesOfAnswers) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    try {
      await next();
    } finally {
      // Also for a refusal, which the API leaves to the app that it is mounted on.
      const route = findTemplate(ctx);
      if (route !== null) routes.set(ctx.req.raw, route);
    }
  });
}

/** The path of the last route that is not a guard of all paths. */
function findTemplate(ctx: Context): string | null {
  return matchedRoutes(ctx).findLast(({ path }) => !path.includes("*"))?.path ?? null;
}

const probeUrl = /^https?:\/\/[^/]*\/(?:health|ready|metrics)(?:[?#]|$)/;

/** Records a span for each request, except for probes, of which there are many. */
export function traceRequests(tracing: Tracing, routes: RoutesOfAnswers, fetch: Fetch): Fetch {
  async function trace(req: Request, env: AppEnv["Bindings"]): Promise<Response> {
    const { method, headers } = req;
    const scheme = req.url.startsWith("https:") ? "https" : "http";
    return await tracing.request({ method, scheme, headers }, async () => {
      const response = await fetch(req, env);
      const route = findMcpAddress(req.url) !== null ? mcpPath : (routes.get(req) ?? null);
      return { response, end: { httpStatus: response.status, route } };
    });
  }
  return (req, env) => {
    const isTraced = tracing.mayRecord(req.headers) && !probeUrl.test(req.url);
    return isTraced ? trace(req, env) : fetch(req, env);
  };
}
