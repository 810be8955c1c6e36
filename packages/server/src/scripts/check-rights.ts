import { HubError } from "../errors.ts";
import type { CallContext } from "../operations/operations.ts";
import type { ToolCatalogue } from "../operations/ports.ts";
import type { MadeCall } from "./create-answers.ts";

/**
 * Throws if the caller may no longer see something that the script has called: what the script answers may contain it. Whether the caller may still call the script is checked with the script's own call.
 */
export async function checkRights(
  { catalogue }: { catalogue: Pick<ToolCatalogue, "get"> },
  { findCaller }: Pick<CallContext, "findCaller">,
  calls: readonly MadeCall[],
): Promise<void> {
  if (findCaller === undefined) return;
  const caller = await findCaller();
  if (caller === null) return;
  const succeeded = calls.filter(({ status }) => status === "success");
  for (const toolId of new Set(succeeded.map(({ tool_id: id }) => id))) {
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
