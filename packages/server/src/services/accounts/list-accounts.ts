import type { Account, AccountEnding, AccountRow } from "@hub/contract/account.ts";
import { toTimeText } from "@hub/contract/time.ts";
import type { Caller } from "../../caller.ts";
import { isVisible } from "../../connectors/rows/row-visibility.ts";
import { listEndings } from "../../store/accounts/account-endings.ts";
import type { UserAccount } from "../../store/accounts/user-account.ts";
import { listUserAccounts } from "../../store/accounts/user-accounts-table.ts";
import { listRows } from "../../store/rows/rows-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { toAccount, toAccountRow, toEnding } from "./present-account.ts";

/** The caller's own accounts, oldest first, and the rows in which the caller may have some. */
export async function listAccounts(
  { store, registry, now }: Pick<ServiceDeps, "store" | "registry" | "now">,
  caller: Caller,
): Promise<{ accounts: Account[]; rows: AccountRow[]; endings: AccountEnding[] }> {
  const stored = await listUserAccounts(store.db, caller.userId);
  const rows = await listRows(store.db);
  const byId = new Map(rows.map((row) => [row.id, row]));
  const at = now();
  const accounts = stored.flatMap((account) => {
    const row = byId.get(account.rowId);
    return row === undefined
      ? []
      : [
          isVisible(caller, row)
            ? toAccount(account, row, registry.find(row.connectorKey), at)
            : toHidden(account),
        ];
  });
  const endings = await listEndings(store.db, caller.userId);
  return {
    accounts,
    endings: endings.map((ending) => {
      const row = byId.get(ending.rowId);
      const isHidden = row !== undefined && !isVisible(caller, row);
      return toEnding(isHidden ? { ...ending, rowLabel: "" } : ending);
    }),
    rows: rows
      .filter((row) => isVisible(caller, row))
      .flatMap((row) => toAccountRow(row, registry.find(row.connectorKey)) ?? []),
  };
}

/** In a row that its user no longer sees. It can be removed. */
function toHidden(account: UserAccount): Account {
  const { id, rowId, label, kind, identity, hosts, connectedAt, usedAt } = account;
  const names = { row_id: rowId, row_label: "", connector: "", label, kind, identity };
  const problem = "you may no longer use the row";
  const ends = {
    connected_at: toTimeText(connectedAt),
    expires_at: null,
    used_at: usedAt === null ? null : toTimeText(usedAt),
  };
  return { id, ...names, hosts: [...hosts], ...ends, problem };
}
