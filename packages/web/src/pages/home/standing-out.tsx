import type { Overview, OverviewRow } from "@hub/contract/overview.ts";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Card } from "../../ui/page/card.tsx";
import { formatDuration, formatNumber } from "../../ui/text/format.ts";
import { toShare } from "./calls-over-time.tsx";
import styles from "./home.module.css";

type Props = { overview: Overview; isAdmin: boolean };

/** The rows with the most errors and the longest times, and what waits. */
export function StandingOut({ overview: { failing, slowest, waiting }, isAdmin }: Props) {
  return (
    <div className={styles.columns}>
      <Card title="Failing rows">
        <Rows
          rows={failing}
          none="No row has failed."
          toValue={({ errors, calls }) =>
            `${formatNumber(errors)} of ${formatNumber(calls)} (${toShare(errors, calls)})`
          }
        />
      </Card>
      <Card title="Slowest rows">
        <Rows
          rows={slowest}
          none="No row has had five calls."
          toValue={({ mean_latency_ms: ms }) => (ms === null ? "–" : `${formatDuration(ms)} mean`)}
        />
      </Card>
      <Card title="Waiting">
        <ul className={styles.rows}>
          <Wait count={waiting.approvals}>
            <Link to="/approvals">Approvals for you</Link>
          </Wait>
          <Wait count={waiting.workflow_runs}>
            <Link to="/workflows">{isAdmin ? "Runs of workflows" : "Runs of your workflows"}</Link>
          </Wait>
        </ul>
      </Card>
    </div>
  );
}

type RowsProps = {
  rows: readonly OverviewRow[];
  none: string;
  toValue: (row: OverviewRow) => string;
};

function Rows({ rows, none, toValue }: RowsProps) {
  if (rows.length === 0) return <p className={styles.none}>{none}</p>;
  return (
    <ul className={styles.rows}>
      {rows.map((row) => (
        <li key={row.id}>
          <Link
            to="/manager/connectors/$key/$row"
            params={{ key: row.connector, row: row.id }}
            search={{ tab: "history" }}
          >
            <bdi>{row.label}</bdi>
          </Link>
          <span>{toValue(row)}</span>
        </li>
      ))}
    </ul>
  );
}

function Wait({ count, children }: { count: number; children: ReactNode }) {
  return (
    <li>
      {children}
      <span>{count >= 1000 ? "1,000 or more" : formatNumber(count)}</span>
    </li>
  );
}
