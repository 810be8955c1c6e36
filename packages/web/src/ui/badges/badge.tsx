import type { ReactNode } from "react";
import styles from "./badge.module.css";

type Props = { tone?: "plain" | "info" | "warn" | "bad"; children: ReactNode };

/** A state or a kind in one or two words. */
export function Badge({ tone = "plain", children }: Props) {
  return <span className={`${styles.badge} ${styles[tone]}`}>{children}</span>;
}
