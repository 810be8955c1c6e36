import type { Adapter } from "oidc-provider";
import { deleteOAuthGrant, findOAuthGrant } from "../../store/oauth-grants.ts";
import { nothingElse, type StorageDeps } from "./storage-deps.ts";

/** What users allowed clients. Grants are made where the user says yes, never by the provider. */
export function createGrantAdapter({ db, now }: StorageDeps): Adapter {
  return {
    ...nothingElse,

    async upsert() {
      throw new Error("A grant is made by a user's consent alone.");
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
        // Refresh tokens come with every grant, whether a client asks for this scope or not.
        openid: { scope: "offline_access" },
        iat: Math.floor(grant.createdAt / 1000),
        exp: Math.ceil(grant.expiresAt / 1000),
      };
    },

    async destroy(id) {
      await deleteOAuthGrant(db, id);
    },
  };
}
