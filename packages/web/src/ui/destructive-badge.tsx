import styles from "./badge.module.css";
import { Icon } from "./icon.tsx";

/** Marks an operation that changes or deletes something. Quiet, because lists have many of them. */
export function DestructiveBadge() {
  return (
    <span className={`${styles.badge} ${styles.destructive}`}>
      <Icon name="warning" />
      Destructive
    </span>
  );
}
