import { HubError } from "../../errors.ts";
import type { Admitted, Call, RowCall, ToolCall, World } from "./call.ts";
import { type Gate, hide, pass, type Verdict } from "./gate.ts";
import { gates } from "./gates.ts";
import { isPresent } from "./present.ts";

export type Stage = keyof typeof gates;

/**
 * Throws unless the call passes the gates of a stage. Every call asks all stages, in their order, so
 * this is the one answer to "may this caller call this now".
 */
export function admit<Asked extends ToolCall | RowCall>(
  world: World,
  asked: Asked,
  stage: Stage,
): asserts asked is Admitted<Asked> {
  const verdict = judge(world, asked, stage);
  switch (verdict.kind) {
    case "pass":
      return;
    case "hide":
      throw toHiddenError(asked);
    case "refuse":
      throw verdict.error;
    case "wait":
      throw new Error(`The call must wait, and nothing keeps it: ${verdict.reason}`);
  }
}

/** What the first gate that does not pass says. */
export function judge(world: World, asked: ToolCall | RowCall, stage: Stage): Verdict {
  if (!isPresent(asked)) return hide;
  const ofStage: readonly Gate<Call>[] = gates[stage];
  for (const gate of ofStage) {
    const verdict = gate(world, asked);
    if (verdict.kind !== "pass") return verdict;
  }
  return pass;
}

function toHiddenError({ operation }: ToolCall | RowCall): HubError {
  if (operation === undefined) return new HubError("not_found", "There is no such row.");
  return new HubError(
    "not_found",
    "This tool does not exist, or you may not use it. Use hub_search or hub_list to find the tool_ids you can call.",
  );
}
