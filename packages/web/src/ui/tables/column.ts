import type { ReactNode } from "react";
import styles from "./data-table.module.css";

export type Column<T> = {
  key: string;
  /** Never empty: screen readers say it before each value. */
  header: string;
  /** Shown instead of `header`, such as a button that sorts by the column. */
  head?: ReactNode;
  /** How the rows are sorted by the column. Left out if they cannot be. */
  sorted?: "ascending" | "descending" | "none";
  /** The header is only for screen readers, as above buttons. */
  isHeaderHidden?: boolean;
  /** The column's width as a CSS grid track, such as `"8rem"` or `"minmax(10rem, 2fr)"`. */
  width: string;
  /** Numbers are aligned at the end. */
  align?: "start" | "end";
  /**
   * Left out on screens below 40 rem. There the first column and those aligned at the end are a line of
   * the row, and the other columns a second line.
   */
  isWideOnly?: boolean;
  /** Left out on screens below 80 rem, for what can be missed where many columns share little space. */
  isLargeOnly?: boolean;
  /** Buttons. On screens below 40 rem they end their line, which is not the first. */
  isAction?: boolean;
  /** Shows the header before the value on screens below 40 rem: for numbers, which say nothing alone. */
  isNamed?: boolean;
  render: (row: T) => ReactNode;
};

/** The class of the cells of a column. */
export function toCellClass({ align, isAction, isWideOnly }: Column<never>): string {
  return [
    styles.cell,
    align === "end" && styles.end,
    isAction === true && styles.action,
    isWideOnly === true && styles.wideOnly,
  ]
    .filter(Boolean)
    .join(" ");
}
