import { ConnectorLogo } from "../../../ui/badges/connector-logo.tsx";
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
        <span key={index} className={styles.value}>
          <bdi className={styles.soft}>{label}</bdi> <bdi>{value}</bdi>
        </span>
      ))}
    </span>
  );
}

/** The row and the operation that follow. */
export function ActsOn({ of }: { of: ListedDecision }) {
  const { subject } = of;
  if (subject === null) return <None />;
  const { system, connector, action } = subject;
  return (
    <span className={styles.subject} title={`${system} · ${action}`}>
      {connector !== null && (
        <ConnectorLogo connectorKey={connector.key} name={connector.name} size="small" />
      )}
      <bdi className={styles.value}>{system}</bdi>
      <bdi className={`${styles.value} ${styles.soft}`}>{action}</bdi>
    </span>
  );
}

/** Nothing on a phone, where cells stand one below the other. */
function None() {
  return <span className={styles.none}>–</span>;
}
