import type { Adapter } from "oidc-provider";
import { hashToken } from "../../identity/authenticate-bearer.ts";
import {
  deleteOAuthAccessToken,
  deleteOAuthAccessTokensOf,
  findOAuthAccessToken,
  insertOAuthAccessToken,
  trimOAuthAccessTokens,
} from "../../store/oauth/oauth-access-tokens.ts";
import { extendOAuthGrant } from "../../store/oauth/oauth-grants.ts";
import { nothingElse, type StorageDeps } from "./storage-deps.ts";

/** Of one grant. A client that refreshes more often than each minute loses the oldest ones early. */
const accessTokensMax = 100;

/** Access tokens, stored so that `/mcp` can look them up without the provider. */
export function createAccessTokenAdapter({ db, now, refuseGrant }: StorageDeps): Adapter {
  return {
    ...nothingElse,

    async upsert(id, payload, expiresIn) {
      const { grantId = "", accountId: userId = "", clientId = "", scope = "", aud } = payload;
      const createdAt = now();
      const expiresAt = createdAt + (expiresIn ?? 0) * 1000;
      const isKept = await insertOAuthAccessToken(db, {
        tokenHash: hashToken(id),
        grantId,
        userId,
        clientId,
        scope,
        resource: String(aud),
        createdAt,
        expiresAt,
      });
      if (!isKept) throw refuseGrant("the grant has ended");
      await trimOAuthAccessTokens(db, { grantId, kept: accessTokensMax });
      await extendOAuthGrant(db, grantId, expiresAt);
    },

    async find(id) {
      const token = await findOAuthAccessToken(db, hashToken(id));
      if (token === null || token.expiresAt <= now()) return;
      return {
        kind: "AccessToken",
        format: "opaque",
        jti: id,
        accountId: token.userId,
        clientId: token.clientId,
        grantId: token.grantId,
        scope: token.scope,
        aud: token.resource,
        iat: Math.floor(token.createdAt / 1000),
        exp: Math.floor(token.expiresAt / 1000),
      };
    },

    destroy: (id) => deleteOAuthAccessToken(db, hashToken(id)),
    revokeByGrantId: (grantId) => deleteOAuthAccessTokensOf(db, grantId),
  };
}
