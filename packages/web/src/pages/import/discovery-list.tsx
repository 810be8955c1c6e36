import { Button } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Card } from "../../ui/page/card.tsx";
import styles from "./import.module.css";
import type { ImportedRow, RowDiscovery } from "./use-row-discoveries.ts";

const words = {
  waiting: "Not asked yet",
  asking: "The hub asks the server…",
  done: "Its operations are listed below",
  failed: "Failed",
} as const;

type Props = { discoveries: readonly RowDiscovery[]; onRetry: (row: ImportedRow) => void };

/** How the discovery of each imported row goes. One that failed can be tried again. */
export function DiscoveryList({ discoveries, onRetry }: Props) {
  return (
    <Card title="Discovery">
      <ul className={styles.report} aria-label="Discovery of each row">
        {discoveries.map(({ row, state: { name, note } }) => (
          <li key={row.id}>
            <Link to="/manager/connectors/$key/$row" params={{ key: "mcp", row: row.id }}>
              <bdi>{row.label}</bdi>
            </Link>
            <span className={name === "failed" ? styles.bad : styles.note}>
              {note ?? words[name]}
            </span>
            {name === "failed" && row.missing.length === 0 && (
              <Button size="compact-sm" variant="default" onClick={() => onRetry(row)}>
                Try again
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
