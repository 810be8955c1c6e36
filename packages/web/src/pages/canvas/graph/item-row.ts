import { parseToolId } from "../../../workflow-parts/tool-id.ts";
import type { Item } from "./body.ts";

/** The id of the row whose operation a node calls. Null for other nodes, and placeholders of examples. */
export function findRowId({ type, tool_id: id }: Item): string | null {
  return type === "operation" ? (parseToolId(id)?.row ?? null) : null;
}

/** The key of the operation that a node calls; "" if there is none. */
export function findOperationKey({ tool_id: id }: Item): string {
  return parseToolId(id)?.operation ?? (typeof id === "string" ? id : "");
}

/** The connector of an operation that is still to be chosen, as in examples. Null for other nodes. */
export function findWantedConnector({ type, tool_id: id }: Item): string | null {
  if (type !== "operation" || typeof id !== "string") return null;
  return /^choose:([\w-]+)\//.exec(id)?.[1] ?? null;
}
