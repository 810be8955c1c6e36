import type { ReactNode } from "react";
import styles from "./page.module.css";

type Props = {
  title: string;
  /** A picture before the title. */
  icon?: ReactNode;
  /** One sentence below the title. */
  lead?: ReactNode;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** The page above this one. */
  parent?: ReactNode;
  children: ReactNode;
};

/** The frame of every page of the app: title, actions, content. */
export function Page({ title, icon, lead, actions, parent, children }: Props) {
  return (
    <>
      <title>{`${title} · Hub`}</title>
      <div className={styles.head}>
        <div className={styles.titles}>
          {parent !== undefined && <div className={styles.parent}>{parent}</div>}
          <div className={styles.name}>
            {icon}
            <h1 className={styles.title}>{title}</h1>
          </div>
          {lead !== undefined && <p className={styles.lead}>{lead}</p>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </>
  );
}
