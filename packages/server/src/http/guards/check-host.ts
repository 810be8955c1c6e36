import { HubError } from "../../errors.ts";
import type { Client } from "../clients/http-client.ts";
import type { AnsweredHosts } from "./answered-hosts.ts";

/**
 * Stops DNS rebinding: if evil.example resolves to this machine, its pages reach the hub as their own
 * origin, but their requests still name evil.example in Host.
 */
export function checkHost(
  { hosts }: Pick<AnsweredHosts, "hosts">,
  { host }: Pick<Client, "host">,
): void {
  if (host !== null && hosts.has(host.toLowerCase())) return;
  throw new HubError(
    "forbidden",
    `This server does not answer requests for the host ${JSON.stringify((host ?? "").slice(0, 100))}. If that is its name, set HUB_BASE_URL to the address that clients use.`,
  );
}
