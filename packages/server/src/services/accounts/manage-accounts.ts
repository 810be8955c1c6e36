import { findMissing } from "@hub/connector";
import type { Account, AccountEnding, AccountRow } from "@hub/contract/account.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { z } from "zod";
import type { Caller } from "../../caller.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { findPublisher, listBoundAddresses } from "../../connectors/accounts/bound-addresses.ts";
import { findAccountKind, listPersonalFields } from "../../connectors/accounts/personal-fields.ts";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import { checkRowOwner } from "../../connectors/rows/row-owner.ts";
import { isVisible } from "../../connectors/rows/row-visibility.ts";
import { toPlainTexts } from "../../connectors/rows/to-plain-texts.ts";
import { HubError } from "../../errors.ts";
import { checkInput, lineSchema, toBadRequest } from "../../lib/input/check-input.ts";
import { sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import { toAccountLocation } from "../../secrets/at-rest/secret-locations.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import { listEndings, recordEndings } from "../../store/accounts/account-endings.ts";
import {
  findUserAccount,
  insertUserAccount,
  listUserAccounts,
  readOwnAccounts,
  removeUserAccount,
  renameUserAccount,
  replaceAccountSecret,
  type UserAccount,
} from "../../store/accounts/user-accounts-table.ts";
import { type Transaction, transaction } from "../../store/database/database.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { findRow, listRows } from "../../store/rows/rows-table.ts";
import { storeSecrets } from "../../store/settings/store-secrets.ts";
import { findConnector } from "../connectors/find-connector.ts";
import { loadVisibleRow } from "../rows/load-row.ts";
import { valuesSchema } from "../rows/row-change.ts";
import { toFieldTexts } from "../rows/row-values.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { loadUser } from "../users/load-user.ts";
import { accountsMax } from "./accounts-max.ts";
import { answerAccountCalls } from "./answer-account-calls.ts";
import { checkHosts } from "./check-hosts.ts";
import { toAccount, toAccountRow, toEnding } from "./present-account.ts";

type AccountDeps = Pick<ServiceDeps, "store" | "ring" | "registry" | "now">;

const valueCharsMax = 64 * 1024;

const newAccountSchema = z.strictObject({
  row: z.uuid(),
  label: lineSchema(60).default("default"),
  /** Texts by field key. */
  values: valuesSchema,
  /** The hosts that the user was shown. */
  hosts: z.array(z.string().max(4_096)).max(100),
});
export type NewAccountInput = z.input<typeof newAccountSchema>;

const accountChangeSchema = z.strictObject({
  label: lineSchema(60).optional(),
  /** Replaces all values: with the hosts that the user was shown. */
  values: valuesSchema.optional(),
  hosts: z.array(z.string().max(4_096)).max(100).optional(),
});
export type AccountChangeInput = z.input<typeof accountChangeSchema>;

/** The caller's own accounts, oldest first, and the rows in which the caller may have some. */
export async function listAccounts(
  { store, registry, now }: Pick<AccountDeps, "store" | "registry" | "now">,
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

/**
 * Connects an account of the caller with values that the caller has typed. Throws `conflict` if the row leads elsewhere than
 * the caller was shown, or has an account with this label.
 */
export async function addAccount(
  deps: AccountDeps,
  { caller, actor }: { caller: Caller; actor: Actor },
  input: NewAccountInput,
): Promise<Account> {
  const given = checkInput(newAccountSchema, input);
  const { store, registry, now } = deps;
  await loadUser(store.db, caller.userId);
  const row = await loadVisibleRow(store.db, caller, given.row);
  const connector = findConnector(registry, row.connectorKey);
  const values = toAccountValues(connector, row, given.values);
  const at = now();
  const stamp = stampChange(actor, at);
  const owner = { id: crypto.randomUUID(), userId: caller.userId, rowId: row.id };
  const tokensId = crypto.randomUUID();
  return await storeSecrets(deps, sealFor(owner, values), async (trx, sealed) => {
    const present = await loadVisibleRow(trx, caller, row.id);
    checkHosts(connector, present, given.hosts);
    const { accounts } = await readOwnAccounts(trx, owner);
    checkLabel(accounts, given.label);
    if (accounts.length >= accountsMax) {
      throw new HubError("conflict", `You have ${accountsMax} accounts in this row. Remove one.`);
    }
    const account = {
      ...owner,
      label: given.label,
      kind: "token" as const,
      identity: null,
      connectedAt: at,
      ...toSecret(connector, present, { sealed, tokensId }),
    };
    await insertUserAccount(trx, account);
    await answerAccountCalls(trx, account, at);
    await recordAccount(trx, stamp, "account.connect", present);
    return toAccount({ ...account, usedAt: null, lost: null }, present, connector, at);
  });
}

/** Renames an account of the caller, or connects it again with other values. */
export async function changeAccount(
  deps: AccountDeps,
  { caller, actor }: { caller: Caller; actor: Actor },
  id: string,
  input: AccountChangeInput,
): Promise<Account> {
  const { label, values: given, hosts = [] } = checkInput(accountChangeSchema, input);
  const { store, registry, now } = deps;
  const found = await loadAccount(store.db, caller, id);
  const row = await loadVisibleRow(store.db, caller, found.rowId);
  const connector = findConnector(registry, row.connectorKey);
  const stamp = stampChange(actor, now());
  const tokensId = crypto.randomUUID();
  const save = async (trx: Transaction, sealed: Uint8Array | null) => {
    const account = await loadAccount(trx, caller, id);
    const present = await loadVisibleRow(trx, caller, account.rowId);
    if (label !== undefined && label !== account.label) {
      const { accounts } = await readOwnAccounts(trx, account);
      checkLabel(accounts, label);
      await renameUserAccount(trx, { ...account, label });
    }
    if (sealed !== null) {
      checkHosts(connector, present, hosts);
      await replaceAccountSecret(trx, account, toSecret(connector, present, { sealed, tokensId }));
      await answerAccountCalls(trx, account, stamp.changedAt);
    }
    await recordAccount(trx, stamp, "account.change", present);
    const changed = await loadAccount(trx, caller, id);
    return toAccount(changed, present, connector, stamp.changedAt);
  };
  if (given === undefined) return await transaction(store.db, (trx) => save(trx, null));
  if (found.kind !== "token") {
    throw new HubError(
      "conflict",
      "This account is connected by a sign-in. Connect it there again.",
    );
  }
  return await storeSecrets(deps, sealFor(found, toAccountValues(connector, row, given)), save);
}

/** Removes an account of the caller, also in a row that the caller no longer sees. */
export async function removeAccount(
  { store, now }: Pick<AccountDeps, "store" | "now">,
  { caller, actor }: { caller: Pick<Caller, "userId">; actor: Actor },
  id: string,
): Promise<{ id: string }> {
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const account = await loadAccount(trx, caller, id);
    const row = await findRow(trx, account.rowId);
    await recordEndings(trx, { id: account.id }, stamp.changedAt);
    await removeUserAccount(trx, account, stamp.changedAt);
    if (row !== null) await recordAccount(trx, stamp, "account.remove", row);
    return { id: account.id };
  });
}

/** Throws `not_found`, also for an account of another user: an admin has no way to it either. */
async function loadAccount(
  db: Parameters<typeof findUserAccount>[0],
  { userId }: Pick<Caller, "userId">,
  id: string,
): Promise<UserAccount> {
  const account = await findUserAccount(db, { userId, id: id.toLowerCase() });
  if (account !== null) return account;
  throw new HubError("not_found", "You have no such account.");
}

/** The texts of the row's personal fields. Throws `bad_request` for others, and for a required one without a value. */
function toAccountValues(
  connector: RegisteredConnector,
  row: RowRecord,
  given: Record<string, unknown>,
): Record<string, string> {
  checkRowOwner(row, connector);
  const texts = toPlainTexts(row);
  const kind = row.access === "shared" ? null : findAccountKind(connector, texts);
  if (kind === null) {
    throw new HubError("conflict", `"${row.label}" does not use accounts of its users.`);
  }
  if (kind === "oauth") {
    throw new HubError("conflict", `An account in "${row.label}" is connected by a sign-in.`);
  }
  const fields = listPersonalFields(connector, texts);
  const values = Object.fromEntries(
    [...toFieldTexts(fields, given)].filter(([, text]) => text !== ""),
  );
  const tooLong = Object.entries(values).find(([, text]) => text.length > valueCharsMax);
  if (tooLong !== undefined) {
    throw toBadRequest([
      { path: tooLong[0], message: `has more than ${valueCharsMax} characters` },
    ]);
  }
  // The others decide which of them are shown.
  const all = { ...Object.fromEntries(texts), ...values };
  const missing = findMissing(connector.configFields, all).filter((field) => field.personal);
  const unset = missing.filter(({ key }) => values[key] === undefined);
  if (unset.length === 0) return values;
  throw toBadRequest(unset.map(({ key }) => ({ path: key, message: "is required" })));
}

type Owner = Pick<UserAccount, "id" | "userId" | "rowId">;

function sealFor(owner: Owner, values: Record<string, string>) {
  return (ring: KeyRing) => sealAtRest(ring, toAccountLocation(owner), JSON.stringify({ values }));
}

function toSecret(
  connector: RegisteredConnector,
  row: RowRecord,
  { sealed, tokensId }: Pick<UserAccount, "sealed" | "tokensId">,
) {
  return {
    sealed,
    tokensId,
    hosts: listBoundAddresses(connector, toPlainTexts(row)),
    publisher: findPublisher(connector),
    scope: null,
    expiresAt: null,
    renewAt: null,
  };
}

function checkLabel(accounts: readonly UserAccount[], label: string): void {
  if (!accounts.some((account) => account.label === label)) return;
  throw new HubError(
    "conflict",
    `You have an account "${label}" in this row. Choose another label.`,
  );
}

/** Without the label, which may say something private. */
function recordAccount(
  trx: Transaction,
  stamp: ReturnType<typeof stampChange>,
  action: `account.${"connect" | "change" | "remove"}`,
  { id, label }: RowRecord,
): Promise<void> {
  return recordChange(trx, stamp, { action, kind: "row", id, name: label });
}
