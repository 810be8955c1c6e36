import { defaultCase } from "@hub/contract/workflow-cases.ts";
import { findCase } from "../../conditions/check-condition.ts";
import { computeStep, type OpenStep } from "../step/open-step.ts";

/** Goes on along the first case that holds, or along `default`. */
export const openSwitch: OpenStep<"switch"> = (ctx, node) => {
  const value = ctx.render(node.value);
  const cases = node.cases.map((one) => ({
    case: one.case,
    op: one.op,
    ...(one.right !== undefined && { right: ctx.render(one.right) }),
  }));
  return computeStep({ value, cases }, async () => {
    const name = (await findCase(value, cases)) ?? defaultCase;
    return { kind: "done", output: name, caseName: name };
  });
};
