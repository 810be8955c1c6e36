import type { ReactNode } from "react";
import styles from "./dialog-foot.module.css";

/** The buttons of a dialog. They stay in view while what is above them is longer than the window. */
export function DialogFoot({ children }: { children: ReactNode }) {
  return <div className={styles.foot}>{children}</div>;
}
