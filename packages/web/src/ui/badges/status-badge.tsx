import type { RunStatus } from "@hub/contract/run.ts";
import styles from "./status-badge.module.css";

const names: Record<RunStatus, string> = {
  running: "Running",
  success: "Success",
  error: "Error",
  denied: "Denied",
  cancelled: "Cancelled",
};

/** The outcome of a call, by colour and by word. */
export function StatusBadge({ status }: { status: RunStatus }) {
  return <span className={`${styles.badge} ${styles[status]}`}>{names[status]}</span>;
}
