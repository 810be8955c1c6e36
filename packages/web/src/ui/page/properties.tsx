import type { ReactNode } from "react";
import styles from "./properties.module.css";

type Props = {
  items: ReadonlyArray<readonly [string, ReactNode]>;
  /** Of one word, which is not to be broken. */
  hasLongNames?: boolean;
};

/** Names with their values. An item without a value is left out. */
export function Properties({ items, hasLongNames = false }: Props) {
  const shown = items.filter(
    ([, value]) => value !== null && value !== undefined && value !== false && value !== "",
  );
  return (
    <dl className={styles.list} data-long-names={hasLongNames || undefined}>
      {shown.map(([name, value]) => (
        <div key={name} className={styles.item}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
