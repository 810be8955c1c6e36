import { type RefObject, useLayoutEffect, useState } from "react";
import type { Column } from "./column.ts";

/** Pixels by column. */
export type ContentWidths = Readonly<Record<string, number>>;

/** Widths grow by such steps, and are a little larger, so that the font that comes and a slightly longer text move nothing. */
const [stepPx, slack] = [8, 1.03];

/**
 * The widths that the contents of the columns need, of the rows that are rendered when rows come. They only grow. Known
 * before the first paint; empty on phones, where a row has several lines.
 */
export function useContentWidths(
  table: RefObject<HTMLElement | null>,
  columns: ReadonlyArray<Column<never>>,
  rows: { length: number; rendered: number; isScrolled: boolean },
): ContentWidths {
  const [widths, setWidths] = useState<ContentWidths>({});
  const keys = columns.map(({ key }) => key).join();
  const { length, isScrolled } = rows;
  const rendered = isScrolled ? 0 : rows.rendered;
  // biome-ignore lint/correctness/useExhaustiveDependencies: more rows may be wider.
  useLayoutEffect(() => {
    const element = table.current;
    if (element === null) return;
    const found = measureColumns(element);
    const names = keys.split(",");
    setWidths((known) => {
      const grown = names.filter((key, at) => (found[at] ?? 0) > (known[key] ?? 0));
      if (grown.length === 0) return known;
      const news = grown.map((key) => [key, found[names.indexOf(key)] ?? 0] as const);
      return { ...known, ...Object.fromEntries(news) };
    });
  }, [table, keys, length, rendered]);
  return widths;
}

/** The width of each column's widest cell, as if the table had no bounds. */
function measureColumns(table: HTMLElement): number[] {
  table.dataset.measured = "";
  const widths: number[] = [];
  for (const row of table.querySelectorAll("[role=row]")) {
    if (getComputedStyle(row).display !== "grid") continue;
    [...row.children].forEach((cell, at) => {
      const px = Math.ceil((cell.getBoundingClientRect().width * slack) / stepPx) * stepPx;
      widths[at] = Math.max(widths[at] ?? 0, px);
    });
  }
  delete table.dataset.measured;
  return widths;
}
