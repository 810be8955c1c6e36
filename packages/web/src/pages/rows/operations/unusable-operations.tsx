import type { ReviewedOperation } from "@hub/contract/row-discovery.ts";
import { count } from "../../connectors/connector-card.tsx";
import styles from "./review.module.css";

/** Operations that the outside system describes wrongly since they were approved. */
export function Invalid({ operations }: { operations: readonly ReviewedOperation[] }) {
  return (
    <section aria-label="Operations that are invalid">
      <h3 className={styles.part}>{`${count(operations.length, "operation")} invalid`}</h3>
      <p className={styles.lead}>
        You approved them, but the outside system describes them wrongly now. Clients cannot call
        them. If they come back, they are as you approved them, or wait for a review.
      </p>
      <ul className={styles.gone}>
        {operations.map(({ key, source_name: name, warnings }) => (
          <li key={key}>
            <bdi>{name}</bdi> {name !== key && <code>{key}</code>}
            <bdi>{warnings.join(" ")}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Operations that the outside system does not offer any more. */
export function Gone({ operations }: { operations: readonly ReviewedOperation[] }) {
  return (
    <section aria-label="Operations that are gone">
      <h3 className={styles.part}>{`${count(operations.length, "operation")} gone`}</h3>
      <p className={styles.lead}>
        The outside system does not offer them any more. Clients cannot call them. If they come
        back, they are as you approved them, or wait for a review.
      </p>
      <ul className={styles.gone}>
        {operations.map(({ key, source_name: name }) => (
          <li key={key}>
            <bdi>{name}</bdi> {name !== key && <code>{key}</code>}
          </li>
        ))}
      </ul>
    </section>
  );
}
