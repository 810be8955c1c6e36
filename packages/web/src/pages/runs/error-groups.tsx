import type { CallErrors, ErrorGroup } from "@hub/contract/call-figures.ts";
import { Button } from "@mantine/core";
import { useState } from "react";
import { toCallName } from "../../ui/text/call-names.ts";
import { formatExact, formatNumber } from "../../ui/text/format.ts";
import styles from "./call-breakdown.module.css";
import { CallTime } from "./call-time.tsx";
import type { RunFilters } from "./run-filters.ts";

const shownFirst = 3;

type Props = {
  of: CallErrors;
  isAdmin: boolean;
  onFilter: (change: Partial<RunFilters>) => void;
};

/** Calls that failed for the same reason: how many, why, for whom, and when. A click shows them in the list. */
export function ErrorGroups({ of, isAdmin, onFilter }: Props) {
  const [isAll, setAll] = useState(false);
  const shown = isAll ? of.groups : of.groups.slice(0, shownFirst);
  const left = of.groups.length - shown.length;
  if (of.total === 0) return <p className={styles.none}>No call failed.</p>;
  return (
    <>
      <ul className={styles.lines}>
        {shown.map((group) => (
          <Group
            key={`${group.example} ${group.error_code}`}
            of={group}
            isAdmin={isAdmin}
            onFilter={onFilter}
          />
        ))}
      </ul>
      {left > 0 && (
        <Button variant="subtle" size="compact-xs" onClick={() => setAll(true)}>
          {`Show ${formatNumber(left)} more`}
        </Button>
      )}
      {(of.total > of.groups.length || of.counted_from !== null) && (
        <p className={styles.none}>{describeRest(of)}</p>
      )}
    </>
  );
}

function Group({ of, isAdmin, onFilter }: Omit<Props, "of"> & { of: ErrorGroup }) {
  const { calls, message, error_code: code } = of;
  return (
    <li>
      <span className={styles.count} title="Calls">
        {formatNumber(calls)}
      </span>
      <button
        type="button"
        className={styles.reason}
        title={message ?? code}
        onClick={() => onFilter(of.filter)}
      >
        {message ?? code}
      </button>
      <span className={styles.of}>
        {of.row_label === null ? toCallName(of) : `${of.row_label} · ${toCallName(of)}`}
      </span>
      {isAdmin && (
        <span className={styles.of} title={of.users.join(", ")}>
          {describeUsers(of)}
        </span>
      )}
      <span className={styles.number}>
        {calls > 1 && (
          <span className={styles.first}>
            <CallTime at={of.first_at} /> –{" "}
          </span>
        )}
        <CallTime at={of.last_at} />
      </span>
    </li>
  );
}

function describeUsers({ users: [first = ""], users_total: total }: ErrorGroup): string {
  return total === 1 ? first : `${first} and ${formatNumber(total - 1)} more`;
}

function describeRest({ total, groups, counted_from: from, calls }: CallErrors): string {
  const most =
    total > groups.length ? `The ${groups.length} most frequent of ${formatNumber(total)}. ` : "";
  if (from === null) return most.trim();
  return `${most}Of the newest ${formatNumber(calls)} errors, since ${formatExact(from)}.`;
}
