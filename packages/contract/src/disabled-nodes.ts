import { workflowBodyLimits } from "./workflow-body-limits.ts";

/** The nodes of a body that are switched off, by id and by the name that people read. A draft may have errors. */
export function listDisabledNodes(body: unknown): Array<{ id: string; name: string }> {
  const { nodes } = Object(body);
  const list: unknown[] = Array.isArray(nodes) ? nodes.slice(0, workflowBodyLimits.nodesMax) : [];
  return list
    .map((node) => Object(node))
    .filter(({ disabled }) => disabled === true)
    .map(({ id, label }) => ({ id: String(id), name: String(label ?? id) }));
}
