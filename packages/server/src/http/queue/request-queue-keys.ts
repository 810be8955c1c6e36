import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { toClientNetworks } from "../../lib/network/trusted-proxies.ts";
import type { AppEnv } from "../app-env.ts";
import { findClientIp } from "../clients/find-client.ts";
import type { RequestQueue, RequestQueueKey } from "./request-queue.ts";

export function toUserQueueKey(userId: string): RequestQueueKey {
  return { lane: "users", owner: userId };
}

export function toStrangerQueueKey(ip: string | null): RequestQueueKey {
  const { network, area } = toClientNetworks(ip ?? "");
  return { lane: "strangers", area, owner: network };
}

/** The lane and owner of the browser's session, or else of its network. */
export function toBrowserQueueKey(ctx: Context<AppEnv>): RequestQueueKey {
  const session = ctx.get("session") ?? null;
  return session === null ? toStrangerQueueKey(findClientIp(ctx)) : toUserQueueKey(session.user.id);
}

/** Lets a request for a page wait for its permit. A form waits when its body has been read. */
export function enterQueue(queue: RequestQueue) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    const { raw } = ctx.req;
    if (raw.method === "POST") return await next();
    const release = await queue.enter(toBrowserQueueKey(ctx), () => raw.signal);
    try {
      await next();
    } finally {
      release();
    }
  });
}
