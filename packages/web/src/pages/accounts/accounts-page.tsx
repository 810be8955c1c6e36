import type { Account, AccountEnding, AccountRow } from "@hub/contract/account.ts";
import { useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { ConnectorLogo } from "../../ui/badges/connector-logo.tsx";
import { Card } from "../../ui/page/card.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { FilterBar } from "../../ui/tables/filter-bar.tsx";
import { SearchField } from "../../ui/tables/search-field.tsx";
import { matchesText } from "../../ui/tables/text-filters.ts";
import { useFilters } from "../../ui/tables/use-filters.ts";
import { formatNumber } from "../../ui/text/format.ts";
import { TimeAgo } from "../../ui/text/time-ago.tsx";
import { AccountList } from "./account-list.tsx";
import styles from "./accounts.module.css";
import { ConnectDialog } from "./connect-dialog.tsx";
import type { Connecting } from "./connecting.ts";
import { findLeading } from "./find-leading.ts";
import { Hosts } from "./hosts.tsx";

/** One's own accounts in rows. A call that needs one leads here with its row. */
export function AccountsPage() {
  const { filters, set } = useFilters<{ row?: string; q?: string }>();
  const { row: asked, q } = filters;
  const query = { ...(q !== undefined && { q }), ...(asked !== undefined && { row: asked }) };
  const found = useApi("GET /manager/api/accounts", { query }, { keepsLast: true });
  const [connecting, setConnecting] = useState<Connecting | null>(null);
  return (
    <Page
      title="Accounts"
      lead="Your own accounts in other systems. Only calls that you make use them, and only you see them here."
    >
      <Loaded of={found} what="Your accounts" skeleton={<PageSkeleton lines={4} />}>
        {({ accounts, rows, rows_total: total, endings }) => (
          <>
            {(total > rows.length || q !== undefined) && (
              <FilterBar>
                <SearchField label="Search" value={q} onChange={(text) => set({ q: text })} />
                <span className={styles.soft}>{formatNumber(total)} take accounts of yours</span>
              </FilterBar>
            )}
            <Rows
              rows={rows.filter((row) =>
                matchesText(q, [row.label, row.connector, row.connector_name]),
              )}
              accounts={accounts}
              asked={asked}
              onConnect={setConnecting}
            />
            <Leftover accounts={accounts} rows={rows} />
            {total === 0 && accounts.length === 0 && (
              <EmptyState icon="lock" title="Nothing needs an account of yours">
                A call that needs one leads you here. What you can call now uses the access of its
                row.
              </EmptyState>
            )}
            <Endings endings={endings} />
          </>
        )}
      </Loaded>
      {connecting !== null && (
        <ConnectDialog connecting={connecting} onClose={() => setConnecting(null)} />
      )}
    </Page>
  );
}

type RowsProps = {
  rows: readonly AccountRow[];
  accounts: readonly Account[];
  asked: string | undefined;
  onConnect: (connecting: Connecting) => void;
};

/** The row that a call led here for comes first. */
function Rows({ rows, accounts, asked, onConnect }: RowsProps) {
  const sorted = rows.toSorted(
    (one, other) => Number(other.id === asked) - Number(one.id === asked),
  );
  const leading = findLeading(sorted, accounts, asked);
  return sorted.map((row) => {
    const own = accounts.filter(({ row_id: id }) => id === row.id);
    return (
      <Card
        key={row.id}
        title={row.label}
        icon={<ConnectorLogo connectorKey={row.connector} name={row.label} logo={row.logo} />}
      >
        {row.id === asked && own.length === 0 && (
          <p className={styles.lead}>A call of yours needs an account here.</p>
        )}
        <p className={styles.lead}>
          It is used for <Hosts hosts={row.hosts} />.{" "}
          {row.access === "own_else_shared" &&
            "Until you connect one for the first time, your calls use the shared access."}
        </p>
        <AccountList
          accounts={own}
          row={row}
          leading={leading}
          onConnect={(account) => onConnect({ row, account })}
        />
      </Card>
    );
  });
}

/** Accounts in rows that their user no longer sees, or that take none now. They can be removed. */
function Leftover({
  accounts,
  rows,
}: {
  accounts: readonly Account[];
  rows: readonly AccountRow[];
}) {
  const left = accounts.filter(({ row_id }) => !rows.some(({ id }) => id === row_id));
  if (left.length === 0) return null;
  return (
    <Card title="Not used any more">
      <AccountList accounts={left} row={null} leading={null} onConnect={() => {}} />
    </Card>
  );
}

/** Removed here, but the other system has not confirmed it yet. */
function Endings({ endings }: { endings: readonly AccountEnding[] }) {
  if (endings.length === 0) return null;
  return (
    <Card title="Still being ended">
      <p className={styles.lead}>
        These accounts are removed here. The hub goes on asking the other system to end its access.
      </p>
      <ul className={styles.list}>
        {endings.map(({ id, row_label, attempts, failure, since }) => (
          <li key={id} className={styles.item}>
            <span className={styles.name}>
              <bdi>{row_label || "A row that you do not see"}</bdi>
            </span>
            <span className={styles.soft}>
              since <TimeAgo at={since} />, tried {attempts} {attempts === 1 ? "time" : "times"}
              {failure !== null && `: ${failure}`}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}
