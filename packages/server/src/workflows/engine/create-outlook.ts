import type { Outlook } from "../approvals/what-will-run.ts";
import { createRender } from "./render.ts";
import type { WalkContext } from "./walk-state.ts";

/** What a node can say of those that follow it. */
export function createOutlook({ deps, start, state }: WalkContext): Outlook {
  const { plan, data, run } = start;
  return {
    plan,
    parse: deps.parse,
    render: async (value, scope) =>
      await deps.computeTurns.run(run.ownerId, () => createRender(deps, data, scope).render(value)),
    isSettled: (nodeId) => Object.hasOwn(data.Node, nodeId) || !state.progress.mayRun(nodeId),
  };
}
