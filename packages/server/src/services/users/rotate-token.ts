import type { RotatedToken } from "@hub/contract/token.ts";
import { z } from "zod";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { checkInput } from "../../lib/input/check-input.ts";
import { type Db, transaction } from "../../store/database/database.ts";
import { expireToken, revokeToken, type TokenRecord } from "../../store/users/tokens-table.ts";
import { loadUser } from "./load-user.ts";
import {
  addToken,
  dayMs,
  loadToken,
  makeSecret,
  type TokenDeps,
  toToken,
} from "./manage-tokens.ts";

const hourMs = 3_600_000;

const rotationSchema = z.strictObject({
  /** How long the old token stays valid beside the new one. 0 revokes it at once. */
  overlapHours: z
    .int({ error: "must be a whole number of hours." })
    .min(0, { error: "must be at least 0." })
    .max(720, { error: "must be at most 720." })
    .default(24),
});

export type RotationInput = z.input<typeof rotationSchema>;

/**
 * Replaces a valid token by a new one with the same name, scope and lifetime; one with bounds or of a service user lives for
 * `boundTokenDaysMax` of now at most. The old one ends after the overlap, or at its own expiry if that is earlier. The new token is returned only here. With `of`, only
 * for a token of this user.
 */
export async function rotateToken(
  { store, now, config }: TokenDeps,
  actor: Actor,
  tokenId: string,
  { of, ...input }: RotationInput & { of?: string } = {},
): Promise<RotatedToken> {
  const { overlapHours } = checkInput(rotationSchema, input);
  const stamp = stampChange(actor, now());
  const at = stamp.changedAt;
  const id = crypto.randomUUID();
  const secrets = {
    plain: makeSecret({ isLimited: false }),
    limited: makeSecret({ isLimited: true }),
  };
  return await transaction(store.db, async (trx) => {
    const old = await loadToken(trx, tokenId, of);
    checkValid(old, at);
    // Before the new one is added, so that a user at the limit can replace a token at once.
    await endToken(trx, old, { at, overlapHours });
    // Read here, because adding a token may delete the oldest ended ones.
    const ended = await loadToken(trx, old.id);
    const { userId, name, scope, createdAt, expiresAt, bounds } = old;
    const { kind } = await loadUser(trx, userId);
    const isLimited = bounds !== null || kind === "service";
    const secret = { ...secrets[isLimited ? "limited" : "plain"], id };
    const msMax = isLimited ? config.boundTokenDaysMax * dayMs : Number.POSITIVE_INFINITY;
    const ms = Math.min(
      expiresAt === null ? Number.POSITIVE_INFINITY : expiresAt - createdAt,
      msMax,
    );
    const created = await addToken(trx, secret, {
      userId,
      name,
      scope,
      at,
      bounds,
      expiresAt: Number.isFinite(ms) ? at + ms : null,
    });
    const replaced = toToken(ended, created.user);
    await recordChange(trx, stamp, {
      action: "token.rotate",
      kind: "token",
      id: old.id,
      name,
      detail: {
        user: created.user,
        scope,
        new_token: created.id,
        ends_at: replaced.revoked_at ?? replaced.expires_at,
      },
    });
    return { ...created, replaced };
  });
}

function checkValid({ name, revokedAt, expiresAt }: TokenRecord, at: number): void {
  const isExpired = expiresAt !== null && expiresAt <= at;
  if (revokedAt === null && !isExpired) return;
  throw new HubError(
    "conflict",
    `The token "${name}" ${isExpired ? "has expired" : "is revoked"}, so it cannot be rotated. Create a new one.`,
  );
}

async function endToken(
  trx: Db,
  { id, expiresAt }: TokenRecord,
  { at, overlapHours }: { at: number; overlapHours: number },
): Promise<void> {
  if (overlapHours === 0) return void (await revokeToken(trx, id, at));
  const end = at + overlapHours * hourMs;
  if (expiresAt === null || end < expiresAt) await expireToken(trx, id, end);
}
