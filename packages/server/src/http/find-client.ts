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

/** Peers whose address is remembered. */
const peersMax = 1000;

const forwardingHeaders = ["x-forwarded-for", "forwarded", "x-real-ip", "via"] as const;

/**
 * Finds the client behind the proxies that an admin named. Everybody else's forwarding headers say
 * what their sender likes, and would choose the address that is recorded and throttled.
 */
export function findClient({ isProxy }: { isProxy: TrustedProxies }) {
  const findPeer = createPeers(isProxy);
  return createMiddleware<AppEnv>((ctx, next) => {
    const { headers } = ctx.req.raw;
    const peer = findPeer(ctx.env.server?.requestIP(ctx.req.raw)?.address ?? null);
    const isBehind = peer.ip !== null && peer.isProxy;
    const ip = isBehind ? findForwarded(isProxy, peer.ip, headers.get("x-forwarded-for")) : peer.ip;
    const named = isBehind ? headers.get("x-forwarded-host")?.split(",").at(-1)?.trim() : undefined;
    ctx.set("client", {
      ip,
      host: named || headers.get("host"),
      // Asked by few: what every call would have to look for first.
      get isLocal() {
        const isPassedOn = forwardingHeaders.some((name) => headers.has(name));
        return ip !== null && isLoopbackAddress(ip) && !isPassedOn;
      },
    });
    return next();
  });
}

type Peer = { ip: string; isProxy: boolean } | { ip: null };

/** Clients come back on the same connection: what their address means is worked out once. */
function createPeers(isProxy: TrustedProxies): (address: string | null) => Peer {
  const known = new Map<string, Peer>();
  return (address) => {
    if (address === null) return { ip: null };
    const before = known.get(address);
    if (before !== undefined) return before;
    const ip = toPlainAddress(address) ?? address;
    const peer = { ip, isProxy: isProxy(ip) };
    if (known.size >= peersMax) known.clear();
    known.set(address, peer);
    return peer;
  };
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
