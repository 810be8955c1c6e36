import type { Account, AccountRow } from "@hub/contract/account.ts";
import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { StateBadge } from "../../ui/badges/state-badge.tsx";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { TimeAgo } from "../../ui/text/time-ago.tsx";
import styles from "./accounts.module.css";

type Props = {
  accounts: readonly Account[];
  /** Null if no account can be connected any more. */
  row: AccountRow | null;
  /** The id of the account or the row whose button is filled. */
  leading: string | null;
  /** Null for a new one. */
  onConnect: (account: Account | null) => void;
};

/** The accounts of a user in a row, with what can be done about them. */
export function AccountList({ accounts, row, leading, onConnect }: Props) {
  const toast = useToast();
  const [asked, setAsked] = useState<Account | null>(null);
  const remove = useChange("DELETE /manager/api/accounts/{account}", {
    refreshes: ["GET /manager/api/accounts"],
    onDone() {
      setAsked(null);
      toast({ text: "The account is removed." });
    },
  });
  return (
    <>
      {accounts.length > 0 && (
        <ul className={styles.list}>
          {accounts.map((account) => (
            <li key={account.id} className={styles.item}>
              <AccountFacts account={account} isRowNamed={row === null} />
              <Group gap="xs" className={styles.actions}>
                {row !== null && (
                  <Button
                    size="compact-xs"
                    variant={account.id === leading ? "filled" : "default"}
                    onClick={() => onConnect(account)}
                  >
                    Connect again
                  </Button>
                )}
                <Button size="compact-xs" variant="danger" onClick={() => setAsked(account)}>
                  Remove
                </Button>
              </Group>
            </li>
          ))}
        </ul>
      )}
      {row !== null && (
        <Button variant={row.id === leading ? "filled" : "default"} onClick={() => onConnect(null)}>
          {accounts.length === 0 ? "Connect" : "Connect another account"}
        </Button>
      )}
      <ConfirmDialog
        isOpen={asked !== null}
        title={`Remove the account "${asked?.label ?? ""}" in ${asked?.row_label || "a row that you do not see"}?`}
        action="Remove"
        isDangerous
        isBusy={remove.isPending}
        onConfirm={() => asked !== null && remove.run({ params: { account: asked.id } })}
        onClose={() => setAsked(null)}
      >
        <p>
          Calls of yours that need it fail until you connect one again.
          {asked?.kind === "oauth" && " The hub also ends its access in the other system."}
        </p>
        {remove.error !== null && <p role="alert">{remove.error.message}</p>}
      </ConfirmDialog>
    </>
  );
}

/** The row is named where no card does it. */
function AccountFacts({ account, isRowNamed }: { account: Account; isRowNamed: boolean }) {
  const { label, row_label: row, identity, problem, connected_at: at, used_at: usedAt } = account;
  return (
    <div className={styles.facts}>
      <span className={styles.name}>
        <bdi>{label}</bdi>
      </span>
      {isRowNamed && <bdi>{row || "A row that you do not see"}</bdi>}
      {identity !== null && <bdi className={styles.soft}>{identity}</bdi>}
      <StateBadge
        {...(problem === null
          ? { tone: "good", text: "Connected" }
          : { tone: "bad", text: "Connect again" })}
      />
      <span className={styles.soft}>
        connected <TimeAgo at={at} />, {usedAt === null ? "not used yet" : "last used "}
        {usedAt !== null && <TimeAgo at={usedAt} />}
      </span>
      {problem !== null && <p className={styles.problem}>It is not used: {problem}.</p>}
    </div>
  );
}
