import { useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type KeyboardEvent,
  type MouseEvent,
  memo,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import styles from "./data-table.module.css";

export type Column<T> = {
  key: string;
  header: string;
  /** Shown instead of `header`, such as a button that sorts by the column. */
  head?: ReactNode;
  /** How the rows are sorted by the column. Left out if they cannot be. */
  sorted?: "ascending" | "descending" | "none";
  /** The column's width as a CSS grid track, such as `"8rem"` or `"minmax(10rem, 2fr)"`. */
  width: string;
  /** Numbers are aligned at the end. */
  align?: "start" | "end";
  /**
   * Left out on screens below 40 rem. There the first column and those aligned at the end are a line of
   * the row, and the other columns a second line.
   */
  isWideOnly?: boolean;
  /** Shows the header before the value on screens below 40 rem: for numbers, which say nothing alone. */
  isNamed?: boolean;
  render: (row: T) => ReactNode;
};

type Props<T> = {
  /** Names the table for screen readers. */
  label: string;
  columns: ReadonlyArray<Column<T>>;
  rows: readonly T[];
  toKey: (row: T) => string;
  /** The last page has not been loaded. Called when the user comes near the end. */
  onMore?: (() => void) | undefined;
  isLoadingMore?: boolean;
  /** A click anywhere in a row opens its first link. */
  opensRows?: boolean;
};

const rowHeightPx = 36;

/**
 * A table of any length: only the rows in view are in the document. Arrow keys, Home and End move
 * between the links of the rows.
 */
export function DataTable<T>(props: Props<T>) {
  const { label, columns, rows, toKey, onMore, isLoadingMore = false, opensRows = false } = props;
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  useLayoutEffect(() => setTop(body.current?.offsetTop ?? 0), []);
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeightPx,
    overscan: 12,
    scrollMargin: top,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : toKey(row);
    },
  });
  const items = virtual.getVirtualItems();
  const lastShown = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (onMore !== undefined && !isLoadingMore && lastShown >= rows.length - 20) onMore();
  }, [onMore, isLoadingMore, lastShown, rows.length]);

  const [moveTo, setMoveTo] = useState<number | null>(null);
  useEffect(() => {
    if (moveTo === null) return;
    const row = body.current?.querySelector(`[data-index="${moveTo}"]`);
    row?.querySelector<HTMLElement>("a, button")?.focus();
  });
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-index]");
    const from = Number(row?.dataset.index);
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (row === null || to === undefined || to < 0 || to >= rows.length) return;
    event.preventDefault();
    virtual.scrollToIndex(to);
    setMoveTo(to);
  };

  const tracks: CSSProperties & { "--tracks": string } = {
    "--tracks": columns.map(({ width }) => width).join(" "),
  };
  return (
    <div
      className={styles.table}
      role="table"
      aria-label={label}
      aria-rowcount={onMore === undefined ? rows.length + 1 : -1}
      style={tracks}
    >
      <div className={styles.head} role="rowgroup">
        <div className={styles.row} role="row" aria-rowindex={1}>
          {columns.map((column) => (
            <div
              key={column.key}
              className={toClass(column)}
              role="columnheader"
              aria-sort={column.sorted}
              data-align={column.align}
            >
              {column.head ?? column.header}
            </div>
          ))}
        </div>
      </div>
      <div
        ref={body}
        className={styles.body}
        role="rowgroup"
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={move}
        onBlur={() => setMoveTo(null)}
      >
        {items.map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <Row
              key={item.key}
              row={row}
              index={item.index}
              startPx={item.start - virtual.options.scrollMargin}
              columns={columns as ReadonlyArray<Column<unknown>>}
              measure={virtual.measureElement}
              opensRows={opensRows}
            />
          );
        })}
      </div>
    </div>
  );
}

type RowProps = {
  row: unknown;
  index: number;
  startPx: number;
  columns: ReadonlyArray<Column<unknown>>;
  measure: (element: HTMLElement | null) => void;
  opensRows: boolean;
};

/** Rendered once while the table scrolls, and not at each step. */
const Row = memo(function Row({ row, index, startPx, columns, measure, opensRows }: RowProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the link in the row is what the keyboard opens.
    <div
      ref={measure}
      data-index={index}
      className={styles.row}
      data-opens={opensRows || undefined}
      role="row"
      aria-rowindex={index + 2}
      style={{ transform: `translateY(${startPx}px)` }}
      onClick={opensRows ? openFirstLink : undefined}
    >
      {columns.map((column) => (
        <div
          key={column.key}
          className={toClass(column)}
          role="cell"
          data-name={column.isNamed === true ? column.header : undefined}
        >
          {column.render(row)}
        </div>
      ))}
    </div>
  );
});

/** Follows the first link of the clicked row, unless a control was clicked or a text was selected. */
function openFirstLink({ target, currentTarget }: MouseEvent<HTMLElement>): void {
  if (!(target instanceof Element) || target.closest("a, button, input, label") !== null) return;
  // What a row opens in a dialog is a child of it for React only.
  if (!currentTarget.contains(target) || window.getSelection()?.isCollapsed === false) return;
  currentTarget.querySelector<HTMLElement>("a")?.click();
}

const toClass = ({ align, isWideOnly }: Column<never>) =>
  [styles.cell, align === "end" && styles.end, isWideOnly === true && styles.wideOnly]
    .filter(Boolean)
    .join(" ");
