import type { Identity } from "@hub/contract/identity.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { HubError } from "../errors.ts";
import { deleteIdentity, type IdentityRecord, listIdentities } from "../store/identities.ts";
import type { Store } from "../store/open-store.ts";
import { deleteSessionsOf } from "../store/sessions.ts";
import type { ChangeRecorder } from "./change-recorder.ts";
import { findUser } from "./find-user.ts";

type IdentityDeps = { store: Store; changes: ChangeRecorder };

/** Verbs on the accounts by which users sign in elsewhere. */
export function createIdentityVerbs({ store, changes }: IdentityDeps) {
  return {
    /** Oldest first. */
    async list({ user: email }: { user: string }): Promise<Identity[]> {
      const user = await findUser(store.db, email);
      return (await listIdentities(store.db, user.id)).map(toIdentity);
    },

    /**
     * Takes a user's accounts elsewhere away, or the one with this id. Their sessions end as well:
     * nobody can tell by which way one was begun.
     */
    async unlink(email: string, { id }: { id?: string } = {}): Promise<Identity[]> {
      return store.transaction(async (trx) => {
        const user = await findUser(trx, email);
        const all = await listIdentities(trx, user.id);
        const ended = id === undefined ? all : all.filter((identity) => identity.id === id);
        if (ended.length === 0) {
          throw new HubError(
            "not_found",
            `${user.email} does not sign in by such an account, so there is nothing to unlink.`,
          );
        }
        for (const identity of ended) await deleteIdentity(trx, identity.id);
        await deleteSessionsOf(trx, user.id);
        const issuers = ended.map(({ issuer }) => issuer);
        const change = { action: "user.unlink", kind: "user", id: user.id } as const;
        await changes.record(trx, { ...change, name: user.email, detail: { issuers } });
        return ended.map(toIdentity);
      });
    },
  };
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
