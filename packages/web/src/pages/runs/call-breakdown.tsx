import type { CallErrors, CallFigures } from "@hub/contract/call-figures.ts";
import { Tabs } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { Card } from "../../ui/page/card.tsx";
import { Loaded, type Reading } from "../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { toCaller, toCallName } from "../../ui/text/call-names.ts";
import { formatDuration, formatNumber } from "../../ui/text/format.ts";
import styles from "./call-breakdown.module.css";
import { CallTime } from "./call-time.tsx";
import { ErrorGroups } from "./error-groups.tsx";
import type { RunFilters } from "./run-filters.ts";

/** Between the heights of few errors and of many, so that the list below moves little. */
const skeletonLines = 7;

type Props = {
  errors: Reading<CallErrors>;
  figures: Reading<CallFigures>;
  isAdmin: boolean;
  /** Adds filters. */
  onFilter: (change: Partial<RunFilters>) => void;
};

/** What failed and why, what is called most, by whom, and what takes longest, each with its filter. */
export function CallBreakdown({ errors, figures, isAdmin, onFilter }: Props) {
  const skeleton = <PageSkeleton lines={skeletonLines} />;
  const count = errors.data === undefined ? "" : ` (${formatNumber(errors.data.total)})`;
  const show = (toList: (of: CallFigures) => React.ReactNode) => (
    <Loaded of={figures} what="The figures" skeleton={skeleton}>
      {toList}
    </Loaded>
  );
  return (
    <Card>
      <Tabs defaultValue="errors" keepMounted={false} className={styles.parts}>
        <Tabs.List aria-label="What the calls are">
          <Tabs.Tab value="errors">{`Errors${count}`}</Tabs.Tab>
          <Tabs.Tab value="operations">Top operations</Tabs.Tab>
          {isAdmin && <Tabs.Tab value="users">Top users</Tabs.Tab>}
          <Tabs.Tab value="slowest">Slowest</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="errors">
          <Loaded of={errors} what="The errors" skeleton={skeleton}>
            {(of) => <ErrorGroups of={of} isAdmin={isAdmin} onFilter={onFilter} />}
          </Loaded>
        </Tabs.Panel>
        <Tabs.Panel value="operations">
          {show((of) => (
            <TopOperations of={of} onFilter={onFilter} />
          ))}
        </Tabs.Panel>
        {isAdmin && (
          <Tabs.Panel value="users">
            {show((of) => (
              <TopUsers of={of} onFilter={onFilter} />
            ))}
          </Tabs.Panel>
        )}
        <Tabs.Panel value="slowest">
          {show((of) => (
            <Slowest of={of} />
          ))}
        </Tabs.Panel>
      </Tabs>
    </Card>
  );
}

type ListProps = { of: CallFigures; onFilter: Props["onFilter"] };

function TopOperations({ of: { operations }, onFilter }: ListProps) {
  if (operations.length === 0) return <p className={styles.none}>There are no calls.</p>;
  return (
    <ul className={styles.lines}>
      {operations.map((one) => (
        <li key={`${one.connector_id} ${one.operation_key}`}>
          <button
            type="button"
            onClick={() =>
              onFilter({
                operation: one.operation_key,
                ...(one.connector_id !== null && { row: one.connector_id }),
              })
            }
          >
            {toCallName(one)}
          </button>
          <span className={styles.of}>{one.row_label ?? "–"}</span>
          <span className={styles.number}>{toCounts(one)}</span>
          <span className={styles.number}>
            {one.p95_ms === null ? "–" : `95% within ${formatDuration(one.p95_ms)}`}
          </span>
        </li>
      ))}
    </ul>
  );
}

function TopUsers({ of: { users }, onFilter }: ListProps) {
  if (users.length === 0) return <p className={styles.none}>There are no calls.</p>;
  return (
    <ul className={styles.lines}>
      {users.map((one) => (
        <li key={one.user_id}>
          <button type="button" onClick={() => onFilter({ user: one.user_id })}>
            {toCaller(one)}
          </button>
          <span className={styles.number}>{toCounts(one)}</span>
        </li>
      ))}
    </ul>
  );
}

function Slowest({ of: { slowest } }: { of: CallFigures }) {
  if (slowest.length === 0) return <p className={styles.none}>There are no calls.</p>;
  return (
    <ul className={styles.lines}>
      {slowest.map((one) => (
        <li key={one.id}>
          <Link
            to="/manager/runs"
            search={(before: object) => ({ ...before, open: one.id })}
            resetScroll={false}
          >
            {toCallName(one)}
          </Link>
          <span className={styles.of}>{one.row_label ?? "–"}</span>
          <span className={styles.number}>{formatDuration(one.latency_ms)}</span>
          <span className={styles.number}>
            <CallTime at={one.started_at} />
          </span>
        </li>
      ))}
    </ul>
  );
}

function toCounts({ calls, errors }: { calls: number; errors: number }): string {
  const text = `${formatNumber(calls)} ${calls === 1 ? "call" : "calls"}`;
  return errors === 0 ? text : `${text}, ${formatNumber(errors)} failed`;
}
