/** A column of a table: its title, and the value it shows of an item. */
export type Column<Item> = [title: string, show: (item: Item) => string | number | null];

/** Formats items as aligned columns. Returns `empty` if there are no items. */
export function toTable<Item>(
  items: readonly Item[],
  columns: readonly Column<Item>[],
  empty: string,
): string {
  if (items.length === 0) return empty;
  const titles = columns.map(([title]) => title.toUpperCase());
  const lines = [titles, ...items.map((item) => columns.map(([, show]) => toCell(show(item))))];
  const widths = titles.map((_, at) => Math.max(...lines.map((line) => toWidth(line[at] ?? ""))));
  return lines.map((line) => alignLine(line, widths)).join("\n");
}

/** Formats one record as lines of `name  value`. */
export function toFacts(
  facts: ReadonlyArray<[name: string, value: string | number | null]>,
): string {
  const width = Math.max(...facts.map(([name]) => name.length));
  return facts.map(([name, value]) => `${name.padEnd(width)}  ${toCell(value)}`).join("\n");
}

/**
 * Replaces control characters in text from outside. In a label or a User-Agent they could move the
 * cursor or hide output.
 */
export function toPrintable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, "\uFFFD");
}

function toCell(value: string | number | null): string {
  return value === null || value === "" ? "-" : toPrintable(String(value));
}

function toWidth(text: string): number {
  return Bun.stringWidth(text);
}

function alignLine(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, at) => cell + " ".repeat(Math.max((widths[at] ?? 0) - toWidth(cell), 0)))
    .join("  ")
    .trimEnd();
}
