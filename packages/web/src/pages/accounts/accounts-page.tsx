import type { Account, AccountEnding, AccountRow } from "@hub/contract/account.ts";
import { useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { Card } from "../../ui/page/card.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { TimeAgo } from "../../ui/text/time-ago.tsx";
import { AccountList } from "./account-list.tsx";
import styles from "./accounts.module.css";
import { ConnectDialog } from "./connect-dialog.tsx";
import type { Connecting } from "./connecting.ts";
import { Hosts } from "./hosts.tsx";

/** One's own accounts in rows. A call that needs one leads here with its row. */
export function AccountsPage() {
  const { row: asked = "" } = useSearch({ from: "/profile/accounts" });
  const found = useApi("GET /manager/api/accounts", {});
  const [connecting, setConnecting] = useState<Connecting | null>(null);
  return (
    <Page
      title="Accounts"
      lead="Your own accounts in other systems. Only calls that you make use them, and only you see them here."
    >
      <Loaded of={found} what="Your accounts" skeleton={<PageSkeleton lines={4} />}>
        {({ accounts, rows, endings }) => (
          <>
            {toSections(rows, accounts, asked).map(({ row, own }) => (
              <RowCard
                key={row.id}
                row={row}
                accounts={own}
                isAsked={row.id === asked}
                onConnect={(account) => setConnecting({ row, account })}
              />
            ))}
            <Leftover accounts={accounts} rows={rows} />
            {rows.length === 0 && accounts.length === 0 && (
              <Card>
                <p className={styles.lead}>
                  Nothing that you can call needs an account of yours. You come back here when a
                  call needs one.
                </p>
              </Card>
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

/** The row that a call led here for comes first. */
function toSections(rows: readonly AccountRow[], accounts: readonly Account[], asked: string) {
  const sorted = rows.toSorted(
    (one, other) => Number(other.id === asked) - Number(one.id === asked),
  );
  return sorted.map((row) => ({ row, own: accounts.filter(({ row_id }) => row_id === row.id) }));
}

type RowCardProps = {
  row: AccountRow;
  accounts: readonly Account[];
  isAsked: boolean;
  onConnect: (account: Account | null) => void;
};

function RowCard({ row, accounts, isAsked, onConnect }: RowCardProps) {
  return (
    <Card title={row.label}>
      {isAsked && accounts.length === 0 && (
        <p className={styles.lead}>A call of yours needs an account here.</p>
      )}
      <p className={styles.lead}>
        It is used for <Hosts hosts={row.hosts} />.{" "}
        {row.access === "own_else_shared" &&
          "As long as you have never connected one, your calls use the shared access."}
      </p>
      <AccountList accounts={accounts} row={row} onConnect={onConnect} />
    </Card>
  );
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
      <AccountList accounts={left} row={null} onConnect={() => {}} />
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
