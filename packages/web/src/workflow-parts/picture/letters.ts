import type { Item } from "../../pages/canvas/graph/body.ts";

/** The row that an operation node calls, or the connector of one that is still to be chosen. */
export function parseTool(item: Item): { row: string | null; connector: string | null } | null {
  if (item.type !== "operation" || typeof item.tool_id !== "string") return null;
  const [, row] = /^conn:([0-9a-f-]{36})\//i.exec(item.tool_id.slice(0, 300)) ?? [];
  if (row !== undefined) return { row: row.toLowerCase(), connector: null };
  const [, connector] = /^choose:([\w-]+)\//.exec(item.tool_id.slice(0, 300)) ?? [];
  return connector === undefined ? null : { row: null, connector };
}

/** One or two letters of a name. Null if it begins with none. */
export function toLetters(name: string): string | null {
  const words = name.slice(0, 200).match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = words.slice(0, 2).map((word) => [...word][0] ?? "");
  if (letters.length === 1) letters.push([...(words[0] ?? "")][1] ?? "");
  const text = letters.join("").toUpperCase();
  return text === "" ? null : text;
}
