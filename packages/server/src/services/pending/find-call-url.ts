import { toCallUrl } from "../../operations/pending/call-url.ts";
import { findBaseUrl } from "../../store/servers/running-servers.ts";
import type { ReadPendingDeps } from "./list-pending-calls.ts";

/** The address of the page of a call, from outside the server. Null if no server of the hub runs. */
export async function findCallUrl(
  { store, now }: ReadPendingDeps,
  id: string,
): Promise<string | null> {
  const baseUrl = await findBaseUrl(store, { id: "" }, now());
  return baseUrl === null ? null : toCallUrl(baseUrl, id);
}
