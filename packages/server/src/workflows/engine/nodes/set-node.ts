import { computeStep, type OpenStep } from "../step/open-step.ts";

/** Makes a value for other nodes. */
export const openSet: OpenStep<"set"> = (ctx, node) => {
  const value = ctx.render(node.value);
  return computeStep({ value }, () => ({ kind: "done", output: value }));
};
