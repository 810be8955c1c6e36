import type { ListedRow } from "@hub/contract/listed-row.ts";
import { Link } from "@tanstack/react-router";
import { useMe } from "../../../api/use-me.ts";
import { RowStateLine } from "../../../ui/badges/row-state.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { Loaded, type Reading } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import type { Called } from "./list-called.ts";
import styles from "./overview.module.css";

type Props = { called: Called; rows: Reading<{ rows: ListedRow[] }> };

const shownMax = 20;
const operationsShown = 4;

/** What the workflow calls: rows with their states, other workflows, addresses and channels. */
export function CalledCard({ called, rows }: Props) {
  const count = called.rows.length + called.workflows.length + called.others.length;
  return (
    <Card title="What it calls">
      {count === 0 && <p className={styles.none}>Nothing outside of the hub.</p>}
      {called.rows.length > 0 && (
        <Loaded of={rows} what="The rows" skeleton={<PageSkeleton lines={2} />}>
          {({ rows: found }) => (
            <ul className={styles.rows}>
              {called.rows.slice(0, shownMax).map(({ id, operations }) => (
                <CalledRow
                  key={id}
                  row={found.find((one) => one.id === id) ?? null}
                  operations={operations}
                />
              ))}
            </ul>
          )}
        </Loaded>
      )}
      <ul className={styles.lines}>
        {called.workflows.slice(0, shownMax).map((id) => (
          <li key={id}>
            <span className={styles.soft}>Workflow</span>
            <Link to="/workflows/$workflow" params={{ workflow: id }}>
              {id}
            </Link>
          </li>
        ))}
        {called.others.slice(0, shownMax).map((text) => (
          <li key={text} className={styles.whole}>
            {text}
          </li>
        ))}
        {count > 3 * shownMax && <li className={styles.whole}>And more: the canvas shows all.</li>}
      </ul>
    </Card>
  );
}

function CalledRow({ row, operations }: { row: ListedRow | null; operations: readonly string[] }) {
  const { isAdmin } = useMe();
  const shown = operations.slice(0, operationsShown).join(", ");
  const rest = operations.length - operationsShown;
  const text = rest > 0 ? `${shown} and ${rest} more` : shown;
  if (row === null) {
    return (
      <li>
        <span>A row that you do not see</span>
        <span className={styles.soft}>{text}</span>
      </li>
    );
  }
  return (
    <li>
      {isAdmin ? (
        <Link to="/manager/connectors/$key/$row" params={{ key: row.connector, row: row.id }}>
          <bdi>{row.label}</bdi>
        </Link>
      ) : (
        <bdi>{row.label}</bdi>
      )}
      <RowStateLine state={row.state} />
      <span className={styles.soft}>{text}</span>
    </li>
  );
}
