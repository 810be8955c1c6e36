import { toFacts, toTable } from "../text/table.ts";

type Cell = string | number | null;

/** The names of members that a cell can show. */
type Shown<Item> = {
  [Member in keyof Item]-?: Item[Member] extends Cell | readonly string[] ? Member : never;
}[keyof Item] &
  string;

/**
 * A value of an item under its title. A name alone is the title and the member. A list is shown with commas.
 */
export type Field<Item> = Shown<Item> | Titled<Item>;

type Titled<Item> = [title: string, show: Shown<Item> | ((item: Item) => Cell | readonly string[])];

/** A list as a table. `empty` is the text of a list without items. */
export function table<Item>(fields: readonly Field<Item>[], empty: string) {
  const columns = fields.map(toTitled);
  return (items: readonly Item[]): string => toTable(items, columns, empty);
}

/** One item as lines of `name  value`. */
export function detail<Item>(fields: readonly Field<Item>[]) {
  const titled = fields.map(toTitled);
  return (item: Item): string => toFacts(titled.map(([title, show]) => [title, show(item)]));
}

function toTitled<Item>(field: Field<Item>): [title: string, show: (item: Item) => Cell] {
  const [title, from]: Titled<Item> = Array.isArray(field) ? field : [field, field];
  const read = typeof from === "function" ? from : (item: Item) => item[from];
  return [title, (item) => toCell(read(item))];
}

function toCell(value: unknown): Cell {
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "number" || value === null ? value : String(value);
}
