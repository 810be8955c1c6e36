import { Skeleton } from "@mantine/core";
import { type Column, toCellClass } from "./column.ts";
import styles from "./data-table.module.css";
import { TableHead } from "./table-head.tsx";
import { toTracks } from "./to-tracks.ts";
import { useCompactLines } from "./use-compact-lines.ts";
import { useShownColumns } from "./use-shown-columns.ts";

type Props = {
  columns: ReadonlyArray<Column<never>>;
  lines?: number;
  /** The largest width, such as `"48rem"`, for tables of few short columns. */
  maxWidth?: string;
};

/** A table while it loads: its headers, and lines as high as those that come. */
export function TableSkeleton(props: Props) {
  const { lines = 8, maxWidth } = props;
  const [isCompact] = useCompactLines();
  const columns = useShownColumns(props.columns);
  return (
    <div role="status" aria-label="Loading">
      <div
        className={styles.table}
        data-compact={isCompact || undefined}
        style={toTracks(columns, {}, maxWidth)}
        aria-hidden="true"
        inert
      >
        <TableHead columns={columns} />
        {Array.from({ length: lines }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change.
          <div key={index} className={styles.row}>
            {columns.map((column) => (
              <div key={column.key} className={toCellClass(column)}>
                <Skeleton height={12} width={index % 3 === 2 ? "55%" : "80%"} />
              </div>
            ))}
          </div>
        ))}
      </div>
    </div>
  );
}
