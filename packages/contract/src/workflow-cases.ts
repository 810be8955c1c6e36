import type { WorkflowNode } from "./workflow-node.ts";

/** The case that `on_error: route` takes. No switch may use it as the name of a case. */
export const errorCase = "error";

/** The case that a switch takes if none of its cases holds. No case may have this name. */
export const defaultCase = "default";

/**
 * The cases that edges of a node can name, in the order of display. A node without cases has edges
 * without a case. `error` is among them only with `on_error: route`.
 *
 * @example listCases({ type: "branch", … }) // ["true", "false"]
 */
export function listCases(node: WorkflowNode): string[] {
  const cases = listOwnCases(node);
  return node.on_error === "route" ? [...cases, errorCase] : cases;
}

/**
 * Whether a node of this type can be switched off. One with cases cannot: what follows depends on
 * the case.
 *
 * @example canBeDisabled("branch") // false
 */
export function canBeDisabled(type: WorkflowNode["type"]): boolean {
  return type !== "branch" && type !== "switch" && type !== "approval";
}

function listOwnCases(node: WorkflowNode): string[] {
  if (node.type === "branch") return ["true", "false"];
  if (node.type === "switch") return [...node.cases.map((one) => one.case), defaultCase];
  return node.type === "approval" ? ["approved", "denied", "expired"] : [];
}
