import type { ReactNode } from "react";
import styles from "./field-columns.module.css";

/** Short fields in two columns, in one on a phone. What has `data-wide` takes both. */
export function FieldColumns({ children }: { children: ReactNode }) {
  return <div className={styles.columns}>{children}</div>;
}
