import { HubError } from "../errors.ts";
import { hubsMax } from "../lib/hub-path.ts";
import type { CallContext } from "./operations.ts";

/**
 * Refuses a call that has come back to this hub over other hubs, which would go round until its time is
 * up. The path is the caller's word: one who leaves it out only loops the own call.
 */
export async function checkHubPath(
  { readHubId }: { readHubId(): Promise<string> },
  { hubs = [] }: CallContext,
): Promise<void> {
  if (hubs.length === 0) return;
  if (hubs.includes(await readHubId())) {
    throw new HubError(
      "needs_setup",
      "This call has come back to the hub that it began at: rows with the connector mcp lead in a circle. An admin of one of the hubs can change the address of such a row.",
    );
  }
  if (hubs.length <= hubsMax) return;
  throw new HubError(
    "needs_setup",
    `This call has passed ${hubsMax} hubs, which is the maximum. An admin can connect the first hub to the last one.`,
  );
}
