import type { RunStatus } from "@hub/contract/run.ts";
import { statusNames } from "../text/call-names.ts";
import styles from "./status-badge.module.css";

/** The outcome of a call, by colour and by word. */
export function StatusBadge({ status }: { status: RunStatus }) {
  return <span className={`${styles.badge} ${styles[status]}`}>{statusNames[status]}</span>;
}
