import type { Context } from "hono";
import { HubError } from "../errors.ts";
import type { Mcp } from "../mcp/mcp.ts";
import type { AppEnv } from "./app-env.ts";
import { findClientIp } from "./find-client.ts";
import { findUserAgent } from "./find-user-agent.ts";
import { idleSecondsMax } from "./server.ts";

type Handler = (ctx: Context<AppEnv>) => Response | Promise<Response>;

/** POST /mcp, after all its guards. */
export function answerMcpPost({ mcp }: { mcp: Pick<Mcp, "answerPost"> }): Handler {
  return (ctx) => {
    const req = ctx.req.raw;
    const { server } = ctx.env;
    return mcp.answerPost({
      body: ctx.get("body"),
      headers: req.headers,
      caller: ctx.get("caller"),
      origin: {
        ip: findClientIp(ctx),
        userAgent: findUserAgent(ctx),
      },
      disconnectSignal: () => req.signal,
      holdOpen() {
        server?.timeout(req, 0);
        return () => server?.timeout(req, idleSecondsMax);
      },
    });
  };
}

/** DELETE /mcp, which ends a session. */
export function answerMcpDelete({ mcp }: { mcp: Pick<Mcp, "endSession"> }): Handler {
  return (ctx) => {
    mcp.endSession({ headers: ctx.req.raw.headers, caller: ctx.get("caller") });
    return new Response(null, { status: 204 });
  };
}

/** Refuses other methods. The hub pushes no messages, so GET is not supported. */
export function refuseMethod(): never {
  throw new HubError("method_not_allowed", "Send MCP messages by POST.");
}
