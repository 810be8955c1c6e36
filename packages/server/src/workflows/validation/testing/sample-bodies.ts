import { type WorkflowBody, workflowBodySchema } from "@hub/contract/workflow-body.ts";

/**
 * A body with one `set` node for each id, or the node given, and the edges `from>to` or
 * `from>to:case`.
 *
 * @example toBody(["a", { id: "b", type: "fail", message: "no" }], ["a>b"])
 */
export function toBody(
  nodes: readonly (string | Record<string, unknown>)[],
  edges: readonly string[],
  more: Record<string, unknown> = {},
): WorkflowBody {
  return workflowBodySchema.parse({
    nodes: nodes.map((node) =>
      typeof node === "string" ? { id: node, type: "set", value: 1 } : node,
    ),
    edges: edges.map(toEdge),
    ...more,
  });
}

/** A `branch` node whose outcome does not matter. */
export function toBranch(id: string): Record<string, unknown> {
  return { id, type: "branch", conditions: [{ left: "{{.Event.Payload.x}}", op: "is_true" }] };
}

function toEdge(text: string): Record<string, unknown> {
  const [, from, to, name] = /^(\w+)>(\w+)(?::(\w+))?$/.exec(text) ?? [];
  return { from, to, ...(name !== undefined && { case: name }) };
}
