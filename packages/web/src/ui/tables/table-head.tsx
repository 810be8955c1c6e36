import { type Column, toCellClass } from "./column.ts";
import styles from "./data-table.module.css";

/** The line of headers. */
export function TableHead<T>({ columns }: { columns: ReadonlyArray<Column<T>> }) {
  return (
    <div className={styles.head} role="rowgroup">
      <div className={styles.row} role="row" aria-rowindex={1}>
        {columns.map((column) => (
          <div
            key={column.key}
            className={toCellClass(column)}
            role="columnheader"
            aria-sort={column.sorted}
            data-align={column.align}
          >
            {column.isHeaderHidden ? (
              <span className={styles.hidden}>{column.header}</span>
            ) : (
              (column.head ?? column.header)
            )}
          </div>
        ))}
      </div>
    </div>
  );
}
