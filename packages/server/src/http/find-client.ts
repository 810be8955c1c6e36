import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { isLoopbackAddress, type TrustedProxies, toPlainAddress } from "../lib/trusted-proxies.ts";
import type { AppEnv } from "./app-env.ts";

/** From where a request comes, as far as it can be believed. */
export type Client = {
  /** Null where there is no socket, as in a test. */
  ip: string | null;
  /** The name the client asked for. */
  host: string | null;
  /** A program on this machine, and nothing that was passed on for somebody else. */
  isLocal: boolean;
};

const forwardingHeaders = ["x-forwarded-for", "forwarded", "x-real-ip", "via"] as const;

/**
 * Finds the client behind the proxies that an admin named. Everybody else's forwarding headers say
 * what their sender likes, and would choose the address that is recorded and throttled.
 */
export function findClient({ isProxy }: { isProxy: TrustedProxies }) {
  return createMiddleware<AppEnv>(async (ctx, next) => {
    const { headers } = ctx.req.raw;
    const peer = findPeer(ctx);
    const isBehind = peer !== null && isProxy(peer);
    const ip = isBehind ? findForwarded(isProxy, peer, headers.get("x-forwarded-for")) : peer;
    const named = isBehind ? headers.get("x-forwarded-host")?.split(",").at(-1)?.trim() : undefined;
    const isPassedOn = forwardingHeaders.some((name) => headers.has(name));
    ctx.set("client", {
      ip,
      host: named || headers.get("host"),
      isLocal: ip !== null && isLoopbackAddress(ip) && !isPassedOn,
    });
    await next();
  });
}

function findPeer(ctx: Context<AppEnv>): string | null {
  const address = ctx.env.server?.requestIP(ctx.req.raw)?.address ?? null;
  return address === null ? null : (toPlainAddress(address) ?? address);
}

/**
 * Read from the right, where each proxy adds whom it heard from: the first that is no proxy of ours
 * is the client. What stands further left came from there, and may be made up.
 */
function findForwarded(isProxy: TrustedProxies, peer: string, header: string | null): string {
  let client = peer;
  for (const entry of (header ?? "").split(",").reverse()) {
    if (!isProxy(client)) break;
    const before = toPlainAddress(entry.trim());
    if (before === null) break;
    client = before;
  }
  return client;
}
