import type { Item } from "./body.ts";

const toolId = /^conn:([0-9a-f-]{36})\/(.+)$/i;

/** The id of the row whose operation a node calls. Null for other nodes, and placeholders of examples. */
export function findRowId({ type, tool_id: id }: Item): string | null {
  if (type !== "operation" || typeof id !== "string") return null;
  return toolId.exec(id)?.[1]?.toLowerCase() ?? null;
}

/** The key of the operation that a node calls; "" if there is none. */
export function findOperationKey({ tool_id: id }: Item): string {
  return typeof id === "string" ? id.replace(/^conn:[^/]*\//, "") : "";
}
