import type { Identity } from "@hub/contract/identity.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { listIdentities } from "../store/identities.ts";
import type { Store } from "../store/open-store.ts";
import { findUser } from "./find-user.ts";

/** Verbs on the accounts by which users sign in elsewhere. */
export function createIdentityVerbs({ store }: { store: Store }) {
  return {
    /** Oldest first. */
    async list({ user: email }: { user: string }): Promise<Identity[]> {
      const user = await findUser(store.db, email);
      const identities = await listIdentities(store.db, user.id);
      return identities.map((identity) => ({
        issuer: identity.issuer,
        email: identity.email,
        linked_at: toTimeText(identity.createdAt),
        last_used_at: toTimeText(identity.lastUsedAt),
      }));
    },
  };
}
