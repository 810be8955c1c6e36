import { useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type KeyboardEvent,
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
};

const rowHeightPx = 44;

/**
 * A table of any length: only the rows in view are in the document. Arrow keys, Home and End move
 * between the links of the rows.
 */
export function DataTable<T>(props: Props<T>) {
  const { label, columns, rows, toKey, onMore, isLoadingMore = false } = props;
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
  const toClass = ({ align, isWideOnly }: Column<T>) =>
    [styles.cell, align === "end" && styles.end, isWideOnly === true && styles.wideOnly]
      .filter(Boolean)
      .join(" ");

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
            <div key={column.key} className={toClass(column)} role="columnheader">
              {column.header}
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
            <div
              key={item.key}
              ref={virtual.measureElement}
              data-index={item.index}
              className={styles.row}
              role="row"
              aria-rowindex={item.index + 2}
              style={{ transform: `translateY(${item.start - virtual.options.scrollMargin}px)` }}
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
        })}
      </div>
    </div>
  );
}
