import { ConnectorLogo } from "../../../ui/badges/connector-logo.tsx";
import { Icon } from "../../../ui/controls/icon.tsx";
import styles from "./approvals-page.module.css";
import type { ListedDecision } from "./listed-decision.ts";

const shownMax = 2;

/** The first values that decide, such as an amount and a name. */
export function FirstValues({ of }: { of: ListedDecision }) {
  const values = of.values.slice(0, shownMax);
  if (values.length === 0) return <None />;
  const text = values.map(({ label, value }) => `${label}: ${value}`).join("\n");
  return (
    <span className={styles.values} title={text}>
      {values.map(({ label, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: labels may repeat, and the list never changes.
        <span key={index}>
          <bdi className={styles.label}>{label}</bdi> <bdi>{value}</bdi>
        </span>
      ))}
    </span>
  );
}

/** The row and the operation that follow; the host and the method of a request, or the name of a workflow. */
export function ActsOn({ of }: { of: ListedDecision }) {
  const { subject } = of;
  if (subject === null) return <None />;
  const { system, kind, connectorKey, icon, action } = subject;
  const what = action || (kind === system ? "" : kind);
  return (
    <span className={styles.subject} title={what === "" ? system : `${system} · ${what}`}>
      {connectorKey === null ? (
        <Icon name={icon} />
      ) : (
        <ConnectorLogo connectorKey={connectorKey} name={system} size="small" />
      )}
      <bdi className={styles.value}>{system}</bdi>
      {what !== "" && <bdi className={`${styles.value} ${styles.soft}`}>{what}</bdi>}
    </span>
  );
}

/** Nothing on a phone, where cells stand one below the other. */
function None() {
  return <span className={styles.none}>–</span>;
}
