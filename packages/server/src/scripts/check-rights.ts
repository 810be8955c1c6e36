import { HubError } from "../errors.ts";
import type { CallContext } from "../operations/operations.ts";
import type { ToolCatalogue } from "../operations/ports.ts";

/**
 * Throws if the caller may no longer see a tool that the script has called: what the script answers may contain what it
 * returned, or the message of its failure. Whether the caller may still call the script is checked with the script's own
 * call. `toolIds` are whole ids.
 */
export async function checkRights(
  { catalogue }: { catalogue: Pick<ToolCatalogue, "get"> },
  { findCaller }: Pick<CallContext, "findCaller">,
  toolIds: Iterable<string>,
): Promise<void> {
  if (findCaller === undefined) return;
  const caller = await findCaller();
  if (caller === null) return;
  for (const toolId of toolIds) {
    try {
      await catalogue.get(caller, toolId);
    } catch (thrown) {
      // An operation that was disabled meanwhile is no secret.
      if (!(thrown instanceof HubError && thrown.code === "not_found")) continue;
      throw new HubError(
        "not_found",
        "You may no longer use a tool that the script called, so what it answers is not sent. Its calls are recorded.",
      );
    }
  }
}
