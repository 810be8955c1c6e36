import type { Account } from "@hub/contract/account.ts";
import { z } from "zod";
import type { Caller } from "../../caller.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { checkInput, lineSchema } from "../../lib/input/check-input.ts";
import { recordEndings } from "../../store/accounts/account-endings.ts";
import type { UserAccount } from "../../store/accounts/user-account.ts";
import {
  findUserAccount,
  insertUserAccount,
  readOwnAccounts,
  removeUserAccount,
  renameUserAccount,
  replaceAccountSecret,
} from "../../store/accounts/user-accounts-table.ts";
import { type Transaction, transaction } from "../../store/database/database.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { findRow } from "../../store/rows/rows-table.ts";
import { storeSecrets } from "../../store/settings/store-secrets.ts";
import { findConnector } from "../connectors/find-connector.ts";
import { loadVisibleRow } from "../rows/load-row.ts";
import { valuesSchema } from "../rows/row-change.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { loadUser } from "../users/load-user.ts";
import { sealFor, toAccountValues, toSecret } from "./account-values.ts";
import { answerAccountCalls } from "./answer-account-calls.ts";
import { checkAccountsMax } from "./check-accounts-max.ts";
import { checkHosts } from "./check-hosts.ts";
import { toAccount } from "./present-account.ts";

type AccountDeps = Pick<ServiceDeps, "store" | "ring" | "registry" | "now">;

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
    checkAccountsMax(accounts);
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
      checkTyped(account);
      checkHosts(connector, present, hosts);
      await replaceAccountSecret(trx, account, toSecret(connector, present, { sealed, tokensId }));
      await answerAccountCalls(trx, account, stamp.changedAt);
    }
    await recordAccount(trx, stamp, "account.change", present);
    const changed = await loadAccount(trx, caller, id);
    return toAccount(changed, present, connector, stamp.changedAt);
  };
  if (given === undefined) return await transaction(store.db, (trx) => save(trx, null));
  checkTyped(found);
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

function checkTyped({ kind }: UserAccount): void {
  if (kind === "token") return;
  throw new HubError("conflict", "This account is connected by a sign-in. Connect it there again.");
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
