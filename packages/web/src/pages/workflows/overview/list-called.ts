import { type Body, type Item, readBody } from "../../canvas/graph/body.ts";
import { findOperationKey, findRowId } from "../../canvas/graph/item-row.ts";

/** What a body calls outside of itself. */
export type Called = {
  /** The rows by id, with the keys of the operations. */
  rows: ReadonlyArray<{ id: string; operations: readonly string[] }>;
  /** Other workflows, by id. */
  workflows: readonly string[];
  /** Other things in words, such as `GET https://example.com`. */
  others: readonly string[];
};

const textMax = 120;

/** Lists what the nodes of a body call. What is not understood is left out. */
export function listCalled(body: unknown): Called {
  const { nodes = [] }: Partial<Body> = readBody(body) ?? {};
  const rows = new Map<string, Set<string>>();
  const workflows = new Set<string>();
  const others = new Set<string>();
  for (const node of nodes) {
    const row = findRowId(node);
    if (row !== null) {
      const operations = rows.get(row) ?? new Set();
      rows.set(row, operations.add(findOperationKey(node)));
    } else if (node.type === "workflow" && typeof node.workflow_id === "string") {
      if (node.workflow_id !== "") workflows.add(node.workflow_id);
    } else {
      const text = describeCall(node);
      if (text !== null) others.add(text.length > textMax ? `${text.slice(0, textMax)}…` : text);
    }
  }
  return {
    rows: [...rows].map(([id, operations]) => ({ id, operations: [...operations] })),
    workflows: [...workflows],
    others: [...others],
  };
}

function describeCall(node: Item): string | null {
  const { type, tool_id: tool, url, method, channel } = node;
  if (type === "operation" && typeof tool === "string" && tool !== "") {
    return `An operation that is still to be chosen (${tool.replace(/^choose:/, "")})`;
  }
  if (type === "http" && typeof url === "string" && url !== "") {
    return `${typeof method === "string" ? method : "GET"} ${url.replace(/\?.*$/s, "")}`;
  }
  if (type === "channel" && typeof channel === "string" && channel !== "") {
    return `Messages to the channel ${channel}`;
  }
  return null;
}
