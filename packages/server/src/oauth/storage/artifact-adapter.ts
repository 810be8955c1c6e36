import type { Adapter, AdapterPayload } from "oidc-provider";
import {
  consumeOAuthArtifact,
  deleteOAuthArtifact,
  deleteOAuthArtifactsOf,
  findOAuthArtifact,
  putOAuthArtifact,
} from "../../store/oauth-artifacts.ts";
import { touchOAuthClient } from "../../store/oauth-clients.ts";
import { deleteOAuthGrant, extendOAuthGrant } from "../../store/oauth-grants.ts";
import { hashArtifactId, openArtifact, sealArtifact } from "./seal-artifact.ts";
import { nothingElse, type StorageDeps } from "./storage-deps.ts";

/** Codes, refresh tokens and pending consents: found by the hash of their id, sealed with the id. */
export function createArtifactAdapter(
  { db, now, refuseGrant }: StorageDeps,
  model: string,
): Adapter {
  return {
    ...nothingElse,

    async upsert(id, { jti: _, ...payload }, expiresIn) {
      const expiresAt = now() + (expiresIn ?? 0) * 1000;
      // A consent names the grant that it is about to make; it does not come of it.
      const grantId = model === "Interaction" ? null : (payload.grantId ?? null);
      const isKept = await putOAuthArtifact(db, {
        idHash: hashArtifactId(model, id),
        model,
        grantId,
        sealed: sealArtifact(model, id, payload),
        expiresAt,
      });
      if (!isKept) throw refuseGrant("the grant has ended");
      if (model !== "RefreshToken" || grantId === null) return;
      await extendOAuthGrant(db, grantId, expiresAt);
      await touchOAuthClient(db, payload.clientId ?? "", now());
    },

    async find(id) {
      const found = await findOAuthArtifact(db, model, hashArtifactId(model, id));
      if (found === null || found.expiresAt <= now()) return;
      // Sealed here, by the provider's own hand.
      const payload = openArtifact(model, id, found.sealed) as AdapterPayload;
      const consumed = found.consumedAt === null ? {} : { consumed: toSeconds(found.consumedAt) };
      return { ...payload, ...consumed, jti: id };
    },

    /**
     * Of two who redeem the same code or refresh token at once, in whatever process, one is the
     * first. That there is a second means that somebody copied it, so it ends for both of them.
     */
    async consume(id) {
      const idHash = hashArtifactId(model, id);
      if (await consumeOAuthArtifact(db, idHash, now())) return;
      const found = await findOAuthArtifact(db, model, idHash);
      if (found?.grantId != null) await deleteOAuthGrant(db, found.grantId);
      throw refuseGrant("already used");
    },

    async destroy(id) {
      const isMine = await deleteOAuthArtifact(db, hashArtifactId(model, id));
      // Two browser tabs that carry on from one consent would get a code each.
      if (!isMine && model === "Interaction") throw refuseGrant("this consent was used already");
    },

    revokeByGrantId: (grantId) => deleteOAuthArtifactsOf(db, model, grantId),
  };
}

function toSeconds(epochMs: number): number {
  return Math.floor(epochMs / 1000);
}
