import { checkConditions } from "../../conditions/check-condition.ts";
import { computeStep, type OpenStep } from "../step/open-step.ts";

/** Goes on along the case `true` or `false`. */
export const openBranch: OpenStep<"branch"> = (ctx, { conditions, match }) => {
  const rendered = conditions.map(({ left, op, right }) => ({
    left: ctx.render(left),
    op,
    ...(right !== undefined && { right: ctx.render(right) }),
  }));
  return computeStep({ match, conditions: rendered }, async () => {
    const holds = await checkConditions(rendered, match);
    return { kind: "done", output: holds, caseName: String(holds) };
  });
};
