import { Skeleton } from "@mantine/core";
import styles from "./review-table.module.css";

/** Lines of the first page. */
const linesMax = 50;

/** The table of a review while it loads, as high as it will be. */
export function ReviewTableSkeleton({ lines }: { lines: number }) {
  return (
    <div role="status" aria-label="Loading">
      <div className={styles.table} aria-hidden="true">
        {Array.from({ length: Math.min(Math.max(lines, 1), linesMax) + 1 }, (_, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines never change.
          <div key={at} className={styles.shape}>
            <Skeleton height={12} width={at % 3 === 2 ? "45%" : "70%"} />
          </div>
        ))}
      </div>
    </div>
  );
}
