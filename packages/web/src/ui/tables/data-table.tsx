import { defaultRangeExtractor, type Range, useWindowVirtualizer } from "@tanstack/react-virtual";
import {
  type FocusEvent,
  type KeyboardEvent,
  useCallback,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import type { Column } from "./column.ts";
import styles from "./data-table.module.css";
import { hintCutText } from "./hint-cut-text.ts";
import { TableHead } from "./table-head.tsx";
import { TableRow } from "./table-row.tsx";
import { toTracks } from "./to-tracks.ts";
import { useCompactLines } from "./use-compact-lines.ts";
import { useContentWidths } from "./use-content-widths.ts";
import { useShownColumns } from "./use-shown-columns.ts";

export type { Column } from "./column.ts";

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

/** Lines of data-table.module.css. */
const heights = { normal: 36, compact: 28, narrow: 58 };
const narrowQuery = "(max-width: 40rem)";

/**
 * A table of any length: only the rows in view are in the document, and the one with the focus. Arrow keys,
 * Home and End move between the links of the rows.
 */
export function DataTable<T>(props: Props<T>) {
  const { label, rows, toKey, onMore, isLoadingMore = false, opensRows = false } = props;
  const [isCompact] = useCompactLines();
  const columns = useShownColumns(props.columns);
  const table = useRef<HTMLDivElement>(null);
  const body = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [isNarrow] = useState(() => window.matchMedia(narrowQuery).matches);
  useLayoutEffect(() => setTop(body.current?.offsetTop ?? 0), []);
  const [focused, setFocused] = useState<number | null>(null);
  const withFocused = useCallback(
    (range: Range) => {
      const shown = defaultRangeExtractor(range);
      if (focused === null || focused >= range.count || shown.includes(focused)) return shown;
      return [...shown, focused].toSorted((one, other) => one - other);
    },
    [focused],
  );
  const height = isNarrow ? heights.narrow : heights[isCompact ? "compact" : "normal"];
  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => height,
    overscan: 12,
    scrollMargin: top,
    rangeExtractor: withFocused,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : toKey(row);
    },
  });
  const items = virtual.getVirtualItems();
  const isScrolled = (virtual.range?.startIndex ?? 0) > 0;
  const seen = { length: rows.length, rendered: items.length, isScrolled };
  const widths = useContentWidths(table, columns, seen);
  const lastShown = virtual.range?.endIndex ?? 0;
  useEffect(() => {
    if (onMore !== undefined && !isLoadingMore && lastShown >= rows.length - 20) onMore();
  }, [onMore, isLoadingMore, lastShown, rows.length]);

  const [moveTo, setMoveTo] = useState<{ index: number; at: string } | null>(null);
  useEffect(() => {
    if (moveTo === null) return;
    const row = body.current?.querySelector(`[data-index="${moveTo.index}"]`);
    row?.querySelector<HTMLElement>(moveTo.at)?.focus();
  });
  const move = (event: KeyboardEvent<HTMLDivElement>) => {
    const target = event.target as HTMLElement;
    const row = target.closest<HTMLElement>("[data-index]");
    const from = Number(row?.dataset.index);
    const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: rows.length - 1 }[event.key];
    if (row === null || to === undefined || to < 0 || to >= rows.length) return;
    event.preventDefault();
    virtual.scrollToIndex(to);
    setMoveTo({ index: to, at: target.matches("input[type=checkbox]") ? "input" : "a, button" });
  };
  const focus = ({ target }: FocusEvent) => {
    const row = target.closest<HTMLElement>("[data-index]");
    setFocused(row === null ? null : Number(row.dataset.index));
  };
  const blur = () => {
    setMoveTo(null);
    setFocused(null);
  };

  return (
    <div
      ref={table}
      className={styles.table}
      data-compact={isCompact || undefined}
      role="table"
      aria-label={label}
      aria-rowcount={onMore === undefined ? rows.length + 1 : -1}
      style={toTracks(columns, widths)}
    >
      <TableHead columns={columns} />
      <div
        ref={body}
        className={styles.body}
        role="rowgroup"
        style={{ height: virtual.getTotalSize() }}
        onKeyDown={move}
        onPointerOver={hintCutText}
        onFocus={focus}
        onBlur={blur}
      >
        {items.map((item) => {
          const row = rows[item.index];
          if (row === undefined) return null;
          return (
            <TableRow
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
