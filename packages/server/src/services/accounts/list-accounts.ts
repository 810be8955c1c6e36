import { containsText } from "@hub/connector";
import type { Account, AccountEnding, AccountRow } from "@hub/contract/account.ts";
import { toTimeText } from "@hub/contract/time.ts";
import type { Caller } from "../../caller.ts";
import { findAccountKind } from "../../connectors/accounts/personal-fields.ts";
import { isVisible } from "../../connectors/rows/row-visibility.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import { listEndings } from "../../store/accounts/account-endings.ts";
import type { UserAccount } from "../../store/accounts/user-account.ts";
import { listUserAccounts } from "../../store/accounts/user-accounts-table.ts";
import type { KnownRow } from "../rows/states/known-row.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { toAccount, toAccountRow, toEnding } from "./present-account.ts";

type ListDeps = Pick<ServiceDeps, "store" | "registry" | "rowStates" | "now">;

export type AccountQuery = {
  /** Words in the label or the connector of a row, ignoring case. */
  q?: string | undefined;
  /** A row that comes first, whatever its label. */
  row?: string | undefined;
};

export type AccountLists = {
  accounts: Account[];
  rows: AccountRow[];
  rows_total: number;
  endings: AccountEnding[];
};

/** Rows that are listed without an account of the caller. */
const rowsMax = 50;
const wordsMax = 10;
/** Rows whose settings are read between two turns of the event loop. */
const readAtOnce = 200;

/**
 * The caller's own accounts, oldest first, and rows in which the caller may have some: the one that is asked for, all with accounts
 * of the caller, and 50 others.
 */
export async function listAccounts(
  { store, registry, rowStates, now }: ListDeps,
  caller: Caller,
  { q = "", row: asked }: AccountQuery = {},
): Promise<AccountLists> {
  const stored = await listUserAccounts(store.db, caller.userId);
  const { rows } = await rowStates.readAll(caller.seen);
  const byId = new Map(rows.map(({ record }) => [record.id, record]));
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
  const open = await listOpen(registry, caller, rows);
  const connected = new Set(stored.map(({ rowId }) => rowId));
  const words = q.toLowerCase().match(/\S+/g)?.slice(0, wordsMax) ?? [];
  const isFirst = ({ record: { id } }: KnownRow) => id === asked || connected.has(id);
  const others = open.filter(
    (row) => !isFirst(row) && words.every((word) => containsText(row.facts.text, word)),
  );
  const shown = [...open.filter(isFirst), ...others.slice(0, rowsMax)];
  return {
    accounts,
    endings: endings.map((ending) => {
      const row = byId.get(ending.rowId);
      const isHidden = row !== undefined && !isVisible(caller, row);
      return toEnding(isHidden ? { ...ending, rowLabel: "" } : ending);
    }),
    rows: shown.flatMap(
      ({ record }) => toAccountRow(record, registry.find(record.connectorKey)) ?? [],
    ),
    rows_total: open.length,
  };
}

/** The rows in which the caller may have accounts, by their labels. */
async function listOpen(
  registry: ListDeps["registry"],
  caller: Caller,
  rows: readonly KnownRow[],
): Promise<KnownRow[]> {
  const open: KnownRow[] = [];
  let read = 0;
  for (const row of rows) {
    const { record } = row;
    if (record.access === "shared" || !isVisible(caller, record)) continue;
    const connector = registry.find(record.connectorKey);
    if (connector !== null && findAccountKind(connector, record) !== null) open.push(row);
    read += 1;
    if (read % readAtOnce === 0) await yieldToEventLoop();
  }
  return open.sort(({ facts: one }, { facts: other }) => (one.label < other.label ? -1 : 1));
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
