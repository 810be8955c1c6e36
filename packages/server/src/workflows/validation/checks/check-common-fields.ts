import { canBeDisabled } from "@hub/contract/workflow-cases.ts";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { Path, ProblemList } from "../problem-list.ts";

/** Node types that do their work inside the hub, where a second try gives the same result. */
const innerTypes: ReadonlySet<string> = new Set([
  "branch",
  "switch",
  "set",
  "wait",
  "approval",
  "webhook_respond",
  "fail",
]);

/** A node with cases cannot be switched off. */
export function checkSwitch(
  problems: ProblemList,
  path: Path,
  { type, disabled }: WorkflowNode,
): void {
  if (!disabled || canBeDisabled(type)) return;
  const message = `A ${type} node cannot be switched off: what follows depends on its case.`;
  const hint = "Switch it on, and switch off the nodes that follow, or connect them without it.";
  problems.error([...path, "disabled"], message, hint);
}

/** Warns of fields that have no effect. */
export function checkUseless(problems: ProblemList, path: Path, node: WorkflowNode): void {
  if (node.retry !== undefined && innerTypes.has(node.type)) {
    const message = `A ${node.type} node is never tried again.`;
    problems.warn([...path, "retry"], message, "Remove retry.");
  }
  if (node.type === "fail" && node.on_error !== "fail") {
    const message = "A fail node always fails the run.";
    problems.warn([...path, "on_error"], message, "Remove on_error.");
  }
}
