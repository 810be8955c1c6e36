import type { ReactNode } from "react";
import styles from "./filter-bar.module.css";

/** The filters above a table. */
export function FilterBar({ children }: { children: ReactNode }) {
  return (
    <div className={styles.bar} role="group" aria-label="Filters">
      {children}
    </div>
  );
}
