import { type ReactNode, useId } from "react";
import styles from "./card.module.css";

type Props = { title?: string; actions?: ReactNode; children: ReactNode };

/** A titled part of a page. */
export function Card({ title, actions, children }: Props) {
  const id = useId();
  return (
    <section className={styles.card} aria-labelledby={title === undefined ? undefined : id}>
      {title !== undefined && (
        <div className={styles.head}>
          <h2 className={styles.title} id={id}>
            {title}
          </h2>
          {actions}
        </div>
      )}
      {children}
    </section>
  );
}
