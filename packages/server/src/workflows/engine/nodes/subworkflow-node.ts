import { findEffects } from "../step/node-effects.ts";
import type { OpenStep } from "../step/open-step.ts";

/** Runs another workflow, as the other workflow's owner. */
export const openSubworkflow: OpenStep<"workflow"> = (ctx, node) => {
  const payload = node.payload === undefined ? {} : ctx.render(node.payload);
  const { workflow_id: workflowId, wait: waits } = node;
  const { changes, repeats: effects } = findEffects(node);
  return {
    input: { workflow_id: workflowId, payload },
    effects,
    changes,
    run: async () => ({ kind: "start_run", workflowId, payload, waits }),
  };
};
