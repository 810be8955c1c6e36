import {
  type NodeType,
  nodeTypes,
  type TriggerType,
  triggerTypes,
} from "../../graph/item-types.ts";

/** What the palette adds. */
export type NewItem = {
  isTrigger: boolean;
  type: string;
  /** The wanted id. */
  id: string;
  fields: Readonly<Record<string, unknown>>;
};

/** `given` are values that are known already, such as the only channel. */
export function toNewTrigger(type: TriggerType, given: object = {}): NewItem {
  return { isTrigger: true, type, id: type, fields: { ...triggerTypes[type].fields, ...given } };
}

const ids: { readonly [_ in NodeType]?: string } = {
  webhook_respond: "respond",
  workflow: "other",
};

export function toNewNode(type: NodeType, given: object = {}): NewItem {
  const fields = { ...nodeTypes[type].fields, ...given };
  return { isTrigger: false, type, id: ids[type] ?? type, fields };
}

/** The type of a comment, which is no node. */
export const commentType = "comment";
export const newComment: NewItem = { isTrigger: false, type: commentType, id: "", fields: {} };

type FoundOperation = { row: string; key: string; name: string };

export function toNewOperation({ row, key, name }: FoundOperation): NewItem {
  const id = key.toLowerCase().replace(/[^a-z0-9_]+/g, "_");
  return {
    isTrigger: false,
    type: "operation",
    id: /^[a-z][a-z0-9_]{0,59}$/.test(id) ? id : "operation",
    fields: { label: name.slice(0, 200), tool_id: `conn:${row}/${key}`, params: {} },
  };
}

/** The item in the data of a drop. Null if something else was dropped. */
export function readNewItem(data: string): NewItem | null {
  let item: unknown;
  try {
    item = JSON.parse(data);
  } catch {
    return null;
  }
  if (typeof item !== "object" || item === null || !("type" in item) || !("id" in item))
    return null;
  // Only the palette writes this kind of data.
  return item as NewItem;
}
