import type { Json } from "@hub/connector";
import { listCases } from "@hub/contract/workflow-cases.ts";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import { HubError } from "../../../errors.ts";
import type { StepOutcome } from "../step/open-step.ts";

/**
 * How a node with this pinned output ends. A pin of a branch, a switch or an approval says the case along
 * which the run goes on. Throws if it does not.
 */
export function toPinnedOutcome(node: WorkflowNode, pin: Json): StepOutcome & { kind: "done" } {
  switch (node.type) {
    case "branch":
    case "switch":
      return { kind: "done", output: pin, caseName: toCase(node, String(pin)) };
    case "approval": {
      if (typeof pin === "string") {
        const output = { by: null, at: null, comment: null };
        return { kind: "done", output, caseName: toCase(node, pin) };
      }
      const { case: given, ...output } = Object(pin);
      return { kind: "done", output, caseName: toCase(node, String(given)) };
    }
    default:
      return { kind: "done", output: pin };
  }
}

function toCase(node: WorkflowNode, given: string): string {
  const cases = listCases({ ...node, on_error: "fail" });
  if (cases.includes(given)) return given;
  const list = cases.map((name) => JSON.stringify(name)).join(", ");
  const how = node.type === "approval" ? " It is a text, or the member `case` of an object." : "";
  throw new HubError(
    "bad_request",
    `The pin of the node "${node.id}" must name a case: ${list}.${how}`,
  );
}
