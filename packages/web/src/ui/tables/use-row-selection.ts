import { useCallback, useEffect, useRef } from "react";
import { selectRange } from "./select-range.ts";

/** The rows that a user has chosen, which the page keeps. */
export type RowSelection<T> = {
  /** By the keys of the rows. Those of rows that are not loaded stay. */
  selected: ReadonlySet<string>;
  onChange: (selected: ReadonlySet<string>) => void;
  /** Names a row for screen readers, such as "Select Orders". */
  toName: (row: T) => string;
};

export type SelectControl<T> = {
  has: (row: T) => boolean;
  toName: (row: T) => string;
  /** Changes one row; with `isRange`, all from the one that was changed last. */
  toggle: (index: number, isRange: boolean) => void;
  toggleAll: () => void;
  isAll: boolean;
  isSome: boolean;
};

/** What the check boxes of a table do. Null without a selection. */
export function useRowSelection<T>(
  rows: readonly T[],
  toKey: (row: T) => string,
  selection: RowSelection<T> | undefined,
): SelectControl<T> | null {
  const last = useRef<string | null>(null);
  const current = useRef({ rows, toKey, selection });
  useEffect(() => {
    current.current = { rows, toKey, selection };
  });
  // The same function for all rows, so that a change renders only those that it changes.
  const toggle = useCallback((index: number, isRange: boolean) => {
    const { rows: all, toKey: keyOf, selection: of } = current.current;
    const row = all[index];
    if (of === undefined || row === undefined) return;
    const keys = all.map(keyOf);
    const from = isRange && last.current !== null ? keys.indexOf(last.current) : -1;
    of.onChange(selectRange(of.selected, keys, { from: from < 0 ? index : from, to: index }));
    last.current = keyOf(row);
  }, []);
  if (selection === undefined) return null;
  const { selected, onChange, toName } = selection;
  const keys = rows.map(toKey);
  const count = keys.filter((key) => selected.has(key)).length;
  const isAll = count > 0 && count === keys.length;
  return {
    has: (row) => selected.has(toKey(row)),
    toName,
    toggle,
    toggleAll: () =>
      onChange(isAll ? selected.difference(new Set(keys)) : selected.union(new Set(keys))),
    isAll,
    isSome: count > 0 && !isAll,
  };
}
