import type { IconName } from "@hub/contract/icons.ts";
import { ExactNumber } from "../../../../api/exact-json.ts";
import { UnknownValue } from "../../expressions/schema-shape.ts";
import type { ValuePath } from "../../expressions/write-expression.ts";
import type { ItemRow } from "../../graph/flow.ts";

/** A value at the top of the tree, with everything in it. */
export type ValueRoot = {
  path: ValuePath;
  name: string;
  /** What stands beside the name, such as the id of a node. */
  detail: string;
  icon: IconName;
  /** The row that the node calls, whose logo stands for the icon. */
  row?: ItemRow | null;
  /** Undefined while it is not known. */
  value: unknown;
  /** Only what is in it can be read. */
  isGroup: boolean;
  /** Why there is no value, or why only its shape is known. */
  note: string | null;
};

/** A line of the tree: a value, or what shows more items of a list. */
export type ValueRow = {
  id: string;
  path: ValuePath;
  name: string;
  /** From 1. */
  level: number;
  position: number;
  size: number;
  value: unknown;
  /** Null for a value without members. */
  isOpen: boolean | null;
  /** The line of a root. */
  root: ValueRoot | null;
  /** How many more members there are; the line shows the next ones. */
  more: number;
};

/** The values that are open, by their id, with how many members each shows. */
export type OpenValues = ReadonlyMap<string, number>;

export const membersPerStep = 100;

export const toRowId = (path: ValuePath) => JSON.stringify(path);

/** The lines that are visible. What is closed costs nothing. */
export function listValueRows(roots: readonly ValueRoot[], open: OpenValues): ValueRow[] {
  const rows: ValueRow[] = [];
  roots.forEach((root, at) => {
    const { path, name, value } = root;
    const place = { level: 1, position: at + 1, size: roots.length };
    addRow(rows, open, { ...place, path, name, value, root });
  });
  return rows;
}

type RowParts = Pick<ValueRow, "path" | "name" | "value" | "level" | "position" | "size" | "root">;

function addRow(rows: ValueRow[], open: OpenValues, parts: RowParts): void {
  const { path, value, level } = parts;
  const id = toRowId(path);
  const shown = open.get(id);
  const keys = isParent(value) ? Object.keys(value) : [];
  const isOpen = keys.length === 0 ? null : shown !== undefined;
  rows.push({ ...parts, id, isOpen, more: 0 });
  if (isOpen !== true || !isParent(value) || shown === undefined) return;
  const isList = Array.isArray(value);
  const rest = keys.length - shown;
  const size = Math.min(keys.length, shown) + (rest > 0 ? 1 : 0);
  keys.slice(0, shown).forEach((key, at) => {
    const step = isList ? Number(key) : key;
    const place = { level: level + 1, position: at + 1, size, root: null };
    addRow(rows, open, {
      ...place,
      path: [...path, step],
      name: key,
      value: Reflect.get(value, key),
    });
  });
  if (rest > 0) {
    const line = { name: "", value: undefined, level: level + 1, position: size, size, root: null };
    rows.push({ ...line, path, id: `${id} more`, isOpen: null, more: rest });
  }
}

function isParent(value: unknown): value is object {
  const isLeaf = value instanceof ExactNumber || value instanceof UnknownValue;
  return typeof value === "object" && value !== null && !isLeaf;
}

/** The type of a value in a word. */
export function toTypeName(value: unknown): string {
  if (value instanceof UnknownValue) return value.type;
  if (value instanceof ExactNumber) return "number";
  if (value === undefined) return "not known";
  if (value === null) return "null";
  if (Array.isArray(value)) return "list";
  if (typeof value === "string") return "text";
  return typeof value === "boolean" ? "true or false" : typeof value;
}
