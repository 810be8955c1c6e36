import type { Adapter } from "oidc-provider";
import { findOAuthGrant } from "../../store/oauth/oauth-grants.ts";
import { endGrant } from "./end-grant.ts";
import { nothingElse, type StorageDeps } from "./storage-deps.ts";

/** Grants of users to clients. The consent page creates them, never the provider. */
export function createGrantAdapter(deps: StorageDeps): Adapter {
  const { db, now } = deps;
  return {
    ...nothingElse,

    async upsert() {
      throw new Error("Only a user's consent creates a grant.");
    },

    async find(id) {
      const grant = await findOAuthGrant(db, id);
      if (grant === null || grant.expiresAt <= now()) return;
      return {
        kind: "Grant",
        jti: id,
        accountId: grant.userId,
        clientId: grant.clientId,
        resources: { [grant.resource]: grant.scope },
        // Every grant includes refresh tokens, even if the client did not ask for this scope.
        openid: { scope: "offline_access" },
        iat: Math.floor(grant.createdAt / 1000),
        exp: Math.ceil(grant.expiresAt / 1000),
      };
    },

    destroy: (id) => endGrant(deps, id),
  };
}
