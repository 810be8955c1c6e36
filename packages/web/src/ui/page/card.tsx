import { type ReactNode, useId } from "react";
import styles from "./card.module.css";

type Props = {
  title?: string;
  /** Before the title. */
  icon?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
};

/** A titled part of a page. */
export function Card({ title, icon, actions, children }: Props) {
  const id = useId();
  return (
    <section className={styles.card} aria-labelledby={title === undefined ? undefined : id}>
      {title !== undefined && (
        <div className={styles.head}>
          <div className={styles.titled}>
            {icon}
            <h2 className={styles.title} id={id}>
              {title}
            </h2>
          </div>
          {actions}
        </div>
      )}
      {children}
    </section>
  );
}
