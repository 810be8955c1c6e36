import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { toClientNetworks } from "../lib/trusted-proxies.ts";
import type { AppEnv } from "./app-env.ts";
import { findClientIp } from "./find-client.ts";
import type { RequestPlace, RequestQueue } from "./request-queue.ts";

export function toUserPlace(userId: string): RequestPlace {
  return { lane: "users", owner: userId };
}

export function toStrangerPlace(ip: string | null): RequestPlace {
  const { network, area } = toClientNetworks(ip ?? "");
  return { lane: "strangers", area, owner: network };
}

/** The place of the browser's session, or else of its network. */
export function toBrowserPlace(ctx: Context<AppEnv>): RequestPlace {
  const session = ctx.get("session") ?? null;
  return session === null ? toStrangerPlace(findClientIp(ctx)) : toUserPlace(session.user.id);
}

/** Lets a request for a page wait for its place. A form waits when its body has been read. */
export function takePlace(queue: RequestQueue) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    const { raw } = ctx.req;
    if (raw.method === "POST") return await next();
    const leave = await queue.enter(toBrowserPlace(ctx), () => raw.signal);
    try {
      await next();
    } finally {
      leave();
    }
  });
}
