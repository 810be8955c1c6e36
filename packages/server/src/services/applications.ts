import type { Application } from "@hub/contract/application.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { HubError } from "../errors.ts";
import { findRedirectTarget } from "../oauth/redirect-uri.ts";
import { deleteOAuthGrant, listOAuthGrants, type OAuthGrant } from "../store/oauth-grants.ts";
import type { Store } from "../store/open-store.ts";
import { listUsers } from "../store/users.ts";
import type { ChangeRecorder } from "./change-recorder.ts";
import { findByIdPrefix } from "./find-by-id-prefix.ts";
import { findUser } from "./find-user.ts";

type ApplicationDeps = { store: Store; now: () => number; changes: ChangeRecorder };

/** `user` is an email: only what this user connected is seen and cut off. */
type OwnerFilter = { user?: string };

export type ApplicationVerbs = ReturnType<typeof createApplicationVerbs>;

/** Verbs on the clients that users let in by OAuth. */
export function createApplicationVerbs({ store, now, changes }: ApplicationDeps) {
  return {
    /** Oldest first. */
    async list(filter: OwnerFilter = {}): Promise<Application[]> {
      const owner = filter.user === undefined ? null : await findUser(store.db, filter.user);
      const users = await listUsers(store.db);
      const emails = new Map(users.map((user) => [user.id, user.email]));
      const grants = await listOAuthGrants(store.db, {
        now: now(),
        ...(owner !== null && { userId: owner.id }),
      });
      return grants.map((grant) => toApplication(grant, emails.get(grant.userId) ?? ""));
    },

    /** Ends its tokens at once. Takes an id, or enough of its beginning to tell it from others. */
    async revoke(id: string, filter: OwnerFilter = {}): Promise<Application> {
      return store.transaction(async (trx) => {
        const owner = filter.user === undefined ? null : await findUser(trx, filter.user);
        const grants = await listOAuthGrants(trx, {
          now: now(),
          ...(owner !== null && { userId: owner.id }),
        });
        const found = findByIdPrefix(grants, id);
        if (found === null) {
          throw new HubError(
            "not_found",
            `There is no connected application "${id}". List the applications for their ids.`,
          );
        }
        await deleteOAuthGrant(trx, found.id);
        const user = (await listUsers(trx)).find((one) => one.id === found.userId);
        await changes.record(trx, {
          action: "application.revoke",
          kind: "application",
          id: found.id,
          name: found.clientName,
          detail: { user: user?.email ?? null },
        });
        return toApplication(found, user?.email ?? "");
      });
    },
  };
}

function toApplication(grant: OAuthGrant, email: string): Application {
  return {
    id: grant.id,
    user: email,
    name: grant.clientName,
    client_id: grant.clientId,
    destination: toDestination(grant.redirectUri),
    connected_at: toTimeText(grant.createdAt),
    last_used_at: grant.lastUsedAt === null ? null : toTimeText(grant.lastUsedAt),
    expires_at: toTimeText(grant.expiresAt),
  };
}

function toDestination(redirectUri: string): string {
  const target = findRedirectTarget(redirectUri);
  if (target === null) return "";
  if (target.kind === "app") return target.scheme;
  return target.kind === "computer" ? "the user's computer" : target.host;
}
