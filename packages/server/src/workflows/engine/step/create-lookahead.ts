import type { Lookahead } from "../../approvals/what-will-run.ts";
import type { WalkContext } from "../walk/walk-state.ts";
import { createRender } from "./create-render.ts";

/** Lets a node describe the nodes that follow it. */
export function createLookahead({ deps, start, state }: WalkContext): Lookahead {
  const { plan, data, run } = start;
  return {
    plan,
    parse: deps.parse,
    render: async (value, scope) =>
      await deps.computeSlices.run(run.ownerId, () =>
        createRender(deps, data, scope).render(value),
      ),
    isCompleted: (nodeId) => Object.hasOwn(data.Node, nodeId) || !state.progress.mayRun(nodeId),
  };
}
