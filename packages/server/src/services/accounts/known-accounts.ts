import type { KnownAccount } from "@hub/contract/account.ts";
import type { Actor } from "../../changes/actor.ts";
import { HubError } from "../../errors.ts";
import { findAccountUser, listUserAccounts } from "../../store/accounts/user-accounts-table.ts";
import { listRows } from "../../store/rows/rows-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { loadUser } from "../users/load-user.ts";
import { removeAccount } from "./manage-accounts.ts";
import { toAccount } from "./present-account.ts";

/**
 * The accounts of a user for an admin at the hub's machine, oldest first: what they are for, without their labels, which may say
 * something private, and without who the user is outside.
 */
export async function listKnownAccounts(
  { store, registry, now }: Pick<ServiceDeps, "store" | "registry" | "now">,
  userId: string,
): Promise<KnownAccount[]> {
  await loadUser(store.db, userId);
  const accounts = await listUserAccounts(store.db, userId);
  const ids = [...new Set(accounts.map(({ rowId }) => rowId))];
  const rows = ids.length === 0 ? [] : await listRows(store.db, { ids });
  const byId = new Map(rows.map((row) => [row.id, row]));
  const at = now();
  return accounts.flatMap((account) => {
    const row = byId.get(account.rowId);
    if (row === undefined) return [];
    // The sentence about a problem names the label.
    const unnamed = { ...account, label: "(hidden)" };
    const shown = toAccount(unnamed, row, registry.find(row.connectorKey), at);
    const { label: _label, identity: _identity, ...known } = shown;
    return [known];
  });
}

/** Removes an account of any user: it can no longer be used. The change is recorded as the admin's. */
export async function removeKnownAccount(
  deps: Pick<ServiceDeps, "store" | "ring" | "registry" | "now">,
  actor: Actor,
  id: string,
): Promise<{ id: string }> {
  const userId = await findAccountUser(deps.store.db, id);
  if (userId === null) throw new HubError("not_found", "There is no such account.");
  return await removeAccount(deps, { caller: { userId }, actor }, id);
}
