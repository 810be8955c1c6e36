import type { Adapter, AdapterPayload } from "oidc-provider";
import {
  consumeOAuthArtifact,
  deleteOAuthArtifact,
  deleteOAuthArtifactsOf,
  findOAuthArtifact,
  putOAuthArtifact,
  trimPendingConsents,
  trimUsedRefreshTokens,
} from "../../store/oauth/oauth-artifacts.ts";
import { touchOAuthClient } from "../../store/oauth/oauth-clients.ts";
import { extendOAuthGrant } from "../../store/oauth/oauth-grants.ts";
import { endGrant } from "./end-grant.ts";
import { hashArtifactId, openArtifact, sealArtifact } from "./seal-artifact.ts";
import { nothingElse, type StorageDeps } from "./storage-deps.ts";

/** Each has at most some 8 KB. A network may begin 60 a minute, and an area of networks 960. */
const pendingConsentsMax = 10_000;
/** So many consents begin before the oldest are deleted, because that reads as many as are kept. */
const consentsPerTrim = 100;
/** Of one grant. The hub needs them to find out that a copy is used. */
const usedRefreshTokensMax = 100;

/**
 * Codes, refresh tokens and pending consents: found by the hash of their id, sealed with a key from
 * it.
 */
export function createArtifactAdapter(deps: StorageDeps, model: string): Adapter {
  const { db, now, refuseGrant } = deps;
  let consentsBegun = 0;

  async function trimConsents(expiresUntil: number): Promise<void> {
    consentsBegun += 1;
    if (consentsBegun % consentsPerTrim !== 0) return;
    await trimPendingConsents(db, { kept: pendingConsentsMax - consentsPerTrim, expiresUntil });
  }

  return {
    ...nothingElse,

    async upsert(id, { jti: _, ...payload }, expiresIn) {
      const expiresAt = now() + (expiresIn ?? 0) * 1000;
      // A pending consent names a grant that does not exist yet.
      const grantId = model === "Interaction" ? null : (payload.grantId ?? null);
      const isKept = await putOAuthArtifact(db, {
        idHash: hashArtifactId(model, id),
        model,
        grantId,
        sealed: sealArtifact(model, id, payload),
        expiresAt,
      });
      if (!isKept) throw refuseGrant("the grant has ended");
      if (model === "Interaction") await trimConsents(expiresAt);
      if (model !== "RefreshToken" || grantId === null) return;
      await trimUsedRefreshTokens(db, { grantId, kept: usedRefreshTokensMax });
      await extendOAuthGrant(db, grantId, expiresAt);
      await touchOAuthClient(db, payload.clientId ?? "", now());
    },

    async find(id) {
      const found = await findOAuthArtifact(db, model, hashArtifactId(model, id));
      if (found === null || found.expiresAt <= now()) return;
      // Sealed above, from the provider's payload.
      const payload = openArtifact(model, id, found.sealed) as AdapterPayload;
      const consumed = found.consumedAt === null ? {} : { consumed: toSeconds(found.consumedAt) };
      return { ...payload, ...consumed, jti: id };
    },

    /**
     * If two requests redeem the same code or refresh token at once, in any process, one is first.
     * The second proves that it was copied, so the grant ends for both.
     */
    async consume(id) {
      const idHash = hashArtifactId(model, id);
      if (await consumeOAuthArtifact(db, idHash, now())) return;
      const found = await findOAuthArtifact(db, model, idHash);
      if (found?.grantId != null) await endGrant(deps, found.grantId);
      throw refuseGrant("already used");
    },

    async destroy(id) {
      const isMine = await deleteOAuthArtifact(db, hashArtifactId(model, id));
      // Otherwise two browser tabs could get two codes from one consent.
      if (!isMine && model === "Interaction") throw refuseGrant("this consent was used already");
    },

    revokeByGrantId: (grantId) => deleteOAuthArtifactsOf(db, model, grantId),
  };
}

function toSeconds(epochMs: number): number {
  return Math.floor(epochMs / 1000);
}
