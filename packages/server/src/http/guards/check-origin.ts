import { HubError } from "../../errors.ts";
import type { AnsweredHosts } from "./answered-hosts.ts";

/**
 * Stops pages of other sites from reaching the hub through a user's browser: browsers name a page's
 * site in Origin. Other programs send no Origin.
 */
export function checkOrigin({ origins }: Pick<AnsweredHosts, "origins">, headers: Headers): void {
  const origin = headers.get("origin");
  if (origin === null || origins.has(origin.toLowerCase())) return;
  throw new HubError("forbidden", "Requests from pages of other sites are not allowed.");
}
