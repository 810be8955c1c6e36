import type { IconName } from "@hub/contract/icons.ts";
import type { ReactNode } from "react";
import { Icon } from "../controls/icon.tsx";
import styles from "./empty-state.module.css";

type Props = {
  icon: IconName;
  /** Left out where the title of the page says it. */
  title?: string;
  /** What the thing is. */
  children: ReactNode;
  /** The one next step. */
  action?: ReactNode;
};

/** An empty list: what it is for, and the next step. */
export function EmptyState({ icon, title, children, action }: Props) {
  return (
    <div className={styles.empty}>
      <div className={styles.icon}>
        <Icon name={icon} />
      </div>
      {title !== undefined && <strong>{title}</strong>}
      <p>{children}</p>
      {action}
    </div>
  );
}
