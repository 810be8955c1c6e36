import type { Json } from "@hub/connector";
import type { CodeInputs } from "../code/code-inputs.ts";
import type { ItemScope } from "./render.ts";
import type { WalkStart } from "./walk-state.ts";

/**
 * What the script of a node can read. Outputs of nodes that run beside it are left out: whether they
 * have ended depends on the time.
 */
export function toCodeInputs(
  { data, plan }: Pick<WalkStart, "data" | "plan">,
  nodeId: string,
  scope: ItemScope | null,
): CodeInputs {
  const node: Record<string, Json> = {};
  for (const id of plan.graph.ancestorsOf(nodeId)) {
    const output = data.Node[id];
    if (output !== undefined) node[id] = output;
  }
  const inputs = { event: data.Event, node, env: data.Env };
  return scope === null ? inputs : { ...inputs, ...scope };
}
