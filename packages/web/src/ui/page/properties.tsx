import type { ReactNode } from "react";
import styles from "./properties.module.css";

/** Names with their values. An item without a value is left out. */
export function Properties({ items }: { items: ReadonlyArray<readonly [string, ReactNode]> }) {
  const shown = items.filter(
    ([, value]) => value !== null && value !== undefined && value !== false && value !== "",
  );
  return (
    <dl className={styles.list}>
      {shown.map(([name, value]) => (
        <div key={name} className={styles.item}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
