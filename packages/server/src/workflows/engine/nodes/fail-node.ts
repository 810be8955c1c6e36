import { toJsonText } from "@hub/connector";
import { computeStep, type OpenStep } from "../step/open-step.ts";

const messageCharsMax = 4096;

/** Ends the run as failed. */
export const openFail: OpenStep<"fail"> = (ctx, node) => {
  const rendered = ctx.render(node.message);
  const text = typeof rendered === "string" ? rendered : toJsonText(rendered);
  const message = text.slice(0, messageCharsMax);
  const severity = node.severity ?? null;
  return computeStep({ message, severity }, () => ({ kind: "fail_run", message, severity }));
};
