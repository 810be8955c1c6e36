import { Skeleton } from "@mantine/core";
import styles from "../approvals.module.css";

const lines = ["30%", "45%", "60%", "50%", "55%", "40%"] as const;

/** An approval while it loads: the system, the operation and the values, then what runs. */
export function CardSkeleton() {
  return (
    <div role="status" aria-label="Loading">
      <div className={styles.deciding} aria-hidden="true">
        {lines.map((width) => (
          <Skeleton key={width} height={16} mb={10} width={width} />
        ))}
      </div>
      <Skeleton height={220} radius={12} aria-hidden="true" />
    </div>
  );
}
