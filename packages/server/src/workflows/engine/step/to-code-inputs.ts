import type { Json } from "@hub/connector";
import type { CodeInputs, SharedInputs } from "../../code/code-inputs.ts";
import type { WalkContext } from "../walk/walk-state.ts";
import type { ItemScope } from "./create-render.ts";

/** What the script of a node can read. The items of a node share one object, which is written once. */
export function toCodeInputs(
  { start, state }: Pick<WalkContext, "start" | "state">,
  nodeId: string,
  scope: ItemScope | null,
): CodeInputs {
  if (scope === null) return { shared: toShared(start, nodeId), scope };
  const shared = state.scriptInputs.get(nodeId) ?? toShared(start, nodeId);
  state.scriptInputs.set(nodeId, shared);
  return { shared, scope };
}

/** Outputs of nodes that run beside it are left out: whether they have ended depends on the time. */
function toShared({ data, plan }: WalkContext["start"], nodeId: string): SharedInputs {
  const node: Record<string, Json> = {};
  for (const id of plan.graph.ancestorsOf(nodeId)) {
    const output = data.Node[id];
    if (output !== undefined) node[id] = output;
  }
  return { event: data.Event, node, env: data.Env };
}
