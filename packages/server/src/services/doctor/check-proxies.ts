import { createTrustedProxies } from "../../lib/network/trusted-proxies.ts";
import { findLastForwarder } from "../../store/servers/last-forwarder.ts";
import { type Check, type DoctorDeps, toCheck } from "./doctor-check.ts";

/** A proxy that is gone should not be reported for ever. */
const ageMsMax = 7 * 24 * 60 * 60 * 1000;

/** A reverse proxy that the settings do not name. Empty if none was seen lately. */
export async function checkProxies({ store, config, now }: DoctorDeps): Promise<Check[]> {
  const last = await findLastForwarder(store.db);
  if (last === null || now() - last.at > ageMsMax) return [];
  if (createTrustedProxies(config.trustedProxies)(last.ip)) return [];
  return [toCheck("proxies", "warn", describeForwarder(last.ip))];
}

/** What to do about a peer that sends X-Forwarded-For and is no trusted proxy. */
export function describeForwarder(ip: string): string {
  return `Requests come from ${ip} with X-Forwarded-For, which is not a trusted proxy, so all of them count as one client, and records name its address. If it is your reverse proxy, set HUB_TRUSTED_PROXIES=${ip}`;
}
