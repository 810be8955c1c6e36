import { findTarget, type ResolveName, resolveByMachine } from "./find-target.ts";
import { type OutboundPolicy, type OutboundRules, toOutboundRules } from "./outbound-policy.ts";

/** A destination that the policy allows. Connect to one of `addresses`, with `hostname` in TLS. */
export type GuardedTarget = { hostname: string; port: number; addresses: string[] };

/** Resolves the host of a URL with the scheme http, https, ws or wss. Rejects with an OutboundError. */
export type GuardedResolve = (url: string | URL) => Promise<GuardedTarget>;

export type GuardedResolveOptions = {
  policy: OutboundPolicy;
  /** Resolves host names. The default is the machine's resolver. */
  resolve?: ResolveName;
};

/** The outbound guard for connections that `createGuardedFetch` cannot make, such as sockets. */
export function createGuardedResolve({
  policy,
  resolve = resolveByMachine,
}: GuardedResolveOptions): GuardedResolve {
  let rules: OutboundRules | undefined;
  return async function guardedResolve(url) {
    rules ??= toOutboundRules(policy);
    const target = new URL(String(url).replace(/^ws(?=s?:)/i, "http"));
    const { hostname, port, addresses } = await findTarget({ rules, resolve }, target);
    return { hostname, port, addresses };
  };
}
