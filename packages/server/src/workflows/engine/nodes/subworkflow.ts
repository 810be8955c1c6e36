import type { OpenStep } from "../open-step.ts";

/** Runs another workflow, as the other workflow's owner. */
export const openSubworkflow: OpenStep<"workflow"> = (ctx, node) => {
  const payload = node.payload === undefined ? {} : ctx.render(node.payload);
  const { workflow_id: workflowId, wait: waits } = node;
  return {
    input: { workflow_id: workflowId, payload },
    // The other run is stored in the commit of this step, so it starts once.
    effects: "none",
    run: async () => ({ kind: "start_run", workflowId, payload, waits }),
  };
};
