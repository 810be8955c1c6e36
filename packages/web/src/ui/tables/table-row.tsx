import { type MouseEvent, memo } from "react";
import { type Column, toCellClass } from "./column.ts";
import styles from "./data-table.module.css";

type Props = {
  row: unknown;
  index: number;
  startPx: number;
  columns: ReadonlyArray<Column<unknown>>;
  measure: (element: HTMLElement | null) => void;
  opensRows: boolean;
};

/** Rendered once while the table scrolls, and not at each step. */
export const TableRow = memo(function TableRow(props: Props) {
  const { row, index, startPx, columns, measure, opensRows } = props;
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
          className={toCellClass(column)}
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
