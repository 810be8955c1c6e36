import type { ReactNode } from "react";
import styles from "./decision-buttons.module.css";

/** The buttons at the head of a card. Not on a phone, where those at the end stay in view. */
export function TopBar({ children }: { children: ReactNode }) {
  return <div className={styles.top}>{children}</div>;
}

/** The same buttons at the end of a card, at the same side. */
export function BottomBar({ children }: { children: ReactNode }) {
  return <div className={styles.bottom}>{children}</div>;
}
