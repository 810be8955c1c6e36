import { Icon } from "../controls/icon.tsx";
import { type Column, toCellClass } from "./column.ts";
import styles from "./data-table.module.css";
import type { SelectControl } from "./use-row-selection.ts";

export type TableSort = {
  by: string | null;
  order: "asc" | "desc";
  onSort: (by: string, order: "asc" | "desc") => void;
};

type Props<T> = {
  columns: ReadonlyArray<Column<T>>;
  sort?: TableSort | undefined;
  select?: SelectControl<T> | null;
};

/** The line of headers. Those of columns that can be sorted are buttons. */
export function TableHead<T>({ columns, sort, select = null }: Props<T>) {
  return (
    <div className={styles.head} role="rowgroup">
      <div className={styles.row} role="row" aria-rowindex={1}>
        {select !== null && (
          <div className={styles.select} role="columnheader">
            <input
              type="checkbox"
              aria-label="Select all that are loaded"
              checked={select.isAll}
              ref={(input) => {
                if (input !== null) input.indeterminate = select.isSome;
              }}
              onChange={select.toggleAll}
            />
          </div>
        )}
        {columns.map((column) => (
          <Header key={column.key} column={column} sort={sort} />
        ))}
      </div>
    </div>
  );
}

function Header<T>({ column, sort }: { column: Column<T>; sort: TableSort | undefined }) {
  const { header, sortBy, sortsFirst = "asc", isHeaderHidden = false } = column;
  const className = toCellClass(column);
  if (sort === undefined || sortBy === undefined) {
    return (
      <div className={className} role="columnheader">
        {isHeaderHidden ? <span className={styles.hidden}>{header}</span> : header}
      </div>
    );
  }
  const isSorted = sort.by === sortBy;
  const other = sort.order === "asc" ? "desc" : "asc";
  return (
    <div
      className={className}
      role="columnheader"
      aria-sort={isSorted ? (sort.order === "asc" ? "ascending" : "descending") : "none"}
    >
      <button
        type="button"
        className={styles.sort}
        onClick={() => sort.onSort(sortBy, isSorted ? other : sortsFirst)}
      >
        {header}
        <span
          className={styles.arrow}
          data-order={isSorted ? sort.order : undefined}
          aria-hidden="true"
        >
          <Icon name="down" />
        </span>
      </button>
    </div>
  );
}
