import type { Server } from "bun";
import type { Context } from "hono";
import {
  isLoopbackAddress,
  isPrivateAddress,
  type TrustedProxies,
  toPlainAddress,
} from "../../lib/network/trusted-proxies.ts";
import type { AppEnv } from "../app-env.ts";
import type { Client } from "./http-client.ts";

/** A header may name thousands of proxies, and to read each address takes some microseconds. */
const proxiesMax = 32;
/** Number of peers in the cache. */
const peersMax = 1000;

const forwardingHeaders = ["x-forwarded-for", "forwarded", "x-real-ip", "via"] as const;

/** Finds the client of a request. */
export type ClientFinder = (req: Request, server: Server<undefined> | undefined) => Client;

/**
 * Finds clients behind trusted proxies. Forwarding headers from other peers are ignored: otherwise
 * a client could choose the address that is recorded and rate limited.
 */
export function createClientFinder({
  isProxy,
  recordForwarder = () => {},
}: {
  isProxy: TrustedProxies;
  /** Takes the private address of the first peer that is no trusted proxy and sends forwarding headers. */
  recordForwarder?(ip: string): void;
}): ClientFinder {
  let isRecorded = false;
  const findPeer = createPeers(isProxy);
  return (req, server) => {
    const { headers } = req;
    const peer = findPeer(server?.requestIP(req)?.address ?? null);
    const isBehind = peer.ip !== null && peer.isProxy;
    // A stranger on the internet can send the header too, but has no private address.
    if (!isRecorded && !isBehind && peer.ip !== null && headers.has("x-forwarded-for")) {
      if (isPrivateAddress(peer.ip)) {
        isRecorded = true;
        recordForwarder(peer.ip);
      }
    }
    const ip = isBehind ? findForwarded(isProxy, peer.ip, headers.get("x-forwarded-for")) : peer.ip;
    const named = isBehind ? headers.get("x-forwarded-host")?.split(",").at(-1)?.trim() : undefined;
    return new FoundClient(ip, named || headers.get("host"), headers);
  };
}

/** A class, because an object with a getter of its own is expensive to make for each request. */
class FoundClient implements Client {
  readonly ip: string | null;
  readonly host: string | null;
  readonly #headers: Headers;

  constructor(ip: string | null, host: string | null, headers: Headers) {
    this.ip = ip;
    this.host = host;
    this.#headers = headers;
  }

  /** Few routes need it, and the look-ups take time. */
  get isLocal(): boolean {
    const isPassedOn = forwardingHeaders.some((name) => this.#headers.has(name));
    return this.ip !== null && isLoopbackAddress(this.ip) && !isPassedOn;
  }
}

/** The client's address, as found behind trusted proxies. */
export function findClientIp(ctx: Context<AppEnv>): string | null {
  return ctx.get("client").ip;
}

type Peer = { ip: string; isProxy: boolean } | { ip: null };

/** Caches the parsed addresses of peers, because clients reuse connections. */
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
 * Reads X-Forwarded-For from the right, where each proxy adds its peer. The first address that is not
 * a trusted proxy is the client. Entries further left come from the client and may be forged.
 */
function findForwarded(isProxy: TrustedProxies, peer: string, header: string | null): string {
  let client = peer;
  let end = header?.length ?? 0;
  for (let passed = 0; passed < proxiesMax && end > 0 && isProxy(client); passed += 1) {
    const start = (header ?? "").lastIndexOf(",", end - 1) + 1;
    const before = toPlainAddress((header ?? "").slice(start, end).trim());
    if (before === null) break;
    client = before;
    end = start - 1;
  }
  return client;
}
