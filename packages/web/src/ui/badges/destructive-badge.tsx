import { Icon } from "../controls/icon.tsx";
import styles from "./badge.module.css";

/** Marks an operation that changes or deletes something. Quiet, because lists have many of them. */
export function DestructiveBadge() {
  return (
    <span className={`${styles.badge} ${styles.destructive}`}>
      <Icon name="warning" />
      Destructive
    </span>
  );
}
