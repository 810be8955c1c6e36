import { ConnectorLogo } from "../../../ui/badges/connector-logo.tsx";
import { DestructiveBadge } from "../../../ui/badges/destructive-badge.tsx";
import { Icon } from "../../../ui/controls/icon.tsx";
import type { Subject } from "../subject.ts";
import styles from "./subject-head.module.css";

type Props = { subject: Subject | null; notes: readonly string[] };

/** The system on which the run acts, and what it does there. */
export function SubjectHead({ subject, notes }: Props) {
  if (subject === null) {
    return (
      <p className={styles.none}>
        Nothing that changes something follows: no message, no write, no other workflow.
      </p>
    );
  }
  const { system, kind, connectorKey, icon, action, description, isDestructive } = subject;
  return (
    <div className={styles.head}>
      {connectorKey === null ? (
        <span className={styles.icon}>
          <Icon name={icon} />
        </span>
      ) : (
        <ConnectorLogo connectorKey={connectorKey} name={system} />
      )}
      <div className={styles.texts}>
        <p className={styles.system}>
          <bdi className={styles.row}>{system}</bdi>
          {kind !== system && (
            <span className={styles.soft}>
              {" · "}
              <bdi>{kind}</bdi>
            </span>
          )}
        </p>
        <p className={styles.action}>
          <bdi>{action}</bdi>
          {isDestructive && <DestructiveBadge />}
        </p>
        {description !== null && description !== "" && (
          <p className={styles.description}>
            <bdi>{description}</bdi>
          </p>
        )}
        {notes.length > 0 && <p className={styles.notes}>{notes.join(" ")}</p>}
      </div>
    </div>
  );
}
