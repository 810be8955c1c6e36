import type { ReactNode } from "react";
import styles from "./page-frame.module.css";

type Props = {
  title: string;
  /** A picture before the title. */
  icon?: ReactNode;
  /** One sentence below the title. */
  lead?: ReactNode;
  /** Buttons beside the title. */
  actions?: ReactNode;
  /** A state beside the title, in one or two words. */
  badge?: ReactNode;
  /** Links to the pages above this one, outermost first. */
  parent?: ReactNode;
  children: ReactNode;
};

/** The frame of every page of the app: title, actions, content. */
export function Page({ title, icon, badge, lead, actions, parent, children }: Props) {
  return (
    <>
      <title>{`${title} · Hub`}</title>
      <div className={styles.head}>
        <div className={styles.titles}>
          {parent !== undefined && (
            <nav className={styles.parent} aria-label="Pages above">
              {parent}
            </nav>
          )}
          <div className={styles.name}>
            {icon}
            <h1 className={styles.title}>{title}</h1>
            {badge}
          </div>
          {lead !== undefined && <p className={styles.lead}>{lead}</p>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </div>
      {children}
    </>
  );
}
