import type { ReactNode } from "react";
import { useApi } from "../../api/use-api.ts";
import { Card } from "../../ui/card.tsx";
import { formatNumber } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import styles from "./home.module.css";

/** What an admin should look at. Nothing is shown while all is well. */
export function Attention() {
  const rows = useApi("GET /manager/api/rows", {});
  const plugins = useApi("GET /manager/api/plugins", {});
  const users = useApi("GET /admin/api/users", {});
  const items: ReactNode[] = [];
  for (const { id, label, missing, disabled } of rows.data?.rows ?? []) {
    if (disabled || missing === null || missing.length === 0) continue;
    items.push(<span key={id}>{`${label} needs setup: ${missing.join(", ")}`}</span>);
  }
  for (const { key, problem } of plugins.data?.plugins ?? []) {
    if (problem !== null) items.push(<span key={key}>{`Plugin ${key}: ${problem}`}</span>);
  }
  const pending = (users.data?.users ?? []).filter(({ status }) => status === "pending").length;
  if (pending > 0) {
    const text = pending === 1 ? "One user waits" : `${formatNumber(pending)} users wait`;
    items.push(<span key="pending">{`${text} for approval.`}</span>);
  }
  if (items.length === 0) return null;
  return (
    <Card title="Needs attention">
      <ul className={styles.attention}>
        {items.slice(0, 8).map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the items have no state.
          <li key={index}>
            <Icon name="warning" />
            {item}
          </li>
        ))}
      </ul>
      {items.length > 8 && <p>{`And ${formatNumber(items.length - 8)} more.`}</p>}
    </Card>
  );
}
