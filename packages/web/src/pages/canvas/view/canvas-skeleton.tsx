import { Skeleton } from "@mantine/core";
import styles from "./canvas-skeleton.module.css";

/** A graph while it loads: some steps in a row, on the ground of the canvas. */
export function CanvasSkeleton() {
  return (
    <div className={styles.canvas} role="status" aria-label="Loading">
      {["trigger", "first", "second"].map((key) => (
        <Skeleton key={key} className={styles.step} />
      ))}
    </div>
  );
}
