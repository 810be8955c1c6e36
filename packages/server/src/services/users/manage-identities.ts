import type { Identity } from "@hub/contract/identity.ts";
import { toTimeText } from "@hub/contract/time.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { transaction } from "../../store/database/database.ts";
import {
  deleteIdentity,
  type IdentityRecord,
  listIdentities as listStoredIdentities,
} from "../../store/users/identities-table.ts";
import { deleteSessionsOf } from "../../store/users/sessions-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { loadUser } from "./load-user.ts";

/** A user's linked accounts at single sign-on providers, oldest first. */
export async function listIdentities(
  { store }: Pick<ServiceDeps, "store">,
  userId: string,
): Promise<Identity[]> {
  const { id } = await loadUser(store.db, userId);
  return (await listStoredIdentities(store.db, id)).map(toIdentity);
}

/**
 * Unlinks all of a user's accounts at providers, or the one with this id. All of the user's
 * sessions end too, because the hub does not know which of them began at the provider.
 */
export async function unlinkIdentities(
  { store, now }: Pick<ServiceDeps, "store" | "now">,
  actor: Actor,
  userId: string,
  { identity }: { identity?: string } = {},
): Promise<Identity[]> {
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const { id, email } = await loadUser(trx, userId);
    const all = await listStoredIdentities(trx, id);
    const unlinked = identity === undefined ? all : all.filter((one) => one.id === identity);
    if (unlinked.length === 0) {
      throw new HubError(
        "not_found",
        `${email} has no such linked account, so there is nothing to unlink.`,
      );
    }
    for (const one of unlinked) await deleteIdentity(trx, one.id);
    await deleteSessionsOf(trx, id);
    const issuers = unlinked.map(({ issuer }) => issuer);
    const change = { action: "user.unlink", kind: "user", id, name: email } as const;
    await recordChange(trx, stamp, { ...change, detail: { issuers } });
    return unlinked.map(toIdentity);
  });
}

function toIdentity(identity: IdentityRecord): Identity {
  return {
    id: identity.id,
    issuer: identity.issuer,
    email: identity.email,
    linked_at: toTimeText(identity.createdAt),
    last_used_at: toTimeText(identity.lastUsedAt),
  };
}
