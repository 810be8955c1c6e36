import { createRemoteJWKSet, type JWTPayload, jwtVerify } from "jose";
import { z } from "zod";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import { type Db, transaction } from "../../store/database/database.ts";
import { findIdentity } from "../../store/users/identities-table.ts";
import {
  listProviderUsers,
  updateProviderSession,
} from "../../store/users/provider-sessions-table.ts";
import { deleteProviderSessions } from "../../store/users/sessions-table.ts";
import { useTokenId } from "../../store/users/used-token-ids.ts";
import { findUserById } from "../../store/users/users-table.ts";
import { hubActor } from "../local-admin.ts";
import type { ProviderClient } from "./provider-client.ts";

type LogoutDeps = {
  db: Db;
  now: () => number;
  issuer: string;
  clientId: string;
  client: Pick<ProviderClient, "findIssuer">;
  /** What a logout at the provider ends. */
  ends: "all" | "sessions";
  /** Called for each user of whom it tells. */
  forget(userId: string): void;
  log: Pick<Log, "info">;
};

const event = "http://schemas.openid.net/event/backchannel-logout";
/** Signatures with the client's secret are refused: the ID token's checks take none either. */
const algorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
];
const ageMsMax = 600_000;
const skewMs = 60_000;

const claimsSchema = z
  .object({
    iss: z.string(),
    iat: z.number(),
    exp: z.number(),
    jti: z.string().min(1).max(500),
    sub: z.string().min(1).max(255).optional(),
    sid: z.string().min(1).max(255).optional(),
    events: z.record(z.string(), z.unknown()),
  })
  .refine(({ sub, sid }) => sub !== undefined || sid !== undefined);

type Logout = z.output<typeof claimsSchema>;

/** OpenID Connect Back-Channel Logout 1.0: ends the sessions that a logout token of the provider names. */
export function createLogout(deps: LogoutDeps) {
  const { now, log } = deps;
  let known: { uri: string; keys: ReturnType<typeof createRemoteJWKSet> } | null = null;

  async function findKeys() {
    const uri = (await deps.client.findIssuer()).serverMetadata().jwks_uri;
    if (uri === undefined) throw new Error("The issuer names no keys");
    if (known?.uri !== uri) known = { uri, keys: createRemoteJWKSet(new URL(uri)) };
    return known.keys;
  }

  /** Section 2.6. Throws `bad_request` with one text for all faults, because anyone may send a token. */
  async function verify(token: string): Promise<Logout> {
    try {
      const { payload, protectedHeader } = await jwtVerify(token, await findKeys(), {
        issuer: deps.issuer,
        audience: deps.clientId,
        algorithms,
        currentDate: new Date(now()),
        clockTolerance: skewMs / 1000,
        requiredClaims: ["iat", "exp", "jti"],
      });
      // The type keeps other tokens of the provider out. Some providers send none.
      const { typ = "JWT" } = protectedHeader;
      if (!["logout+jwt", "JWT"].includes(typ)) throw new Error(`A token of the type ${typ}`);
      return readClaims(payload, now());
    } catch (cause) {
      if (cause instanceof HubError) throw cause;
      log.info({ text: Object(cause).message }, "a logout token was refused");
      throw toRefusal(cause);
    }
  }

  return async (token: string): Promise<void> => {
    const logout = await verify(token);
    const stamp = stampChange(hubActor, now());
    const ended = await transaction(deps.db, async (trx) => {
      const expiresAt = logout.exp * 1000 + skewMs;
      const isFirst = await useTokenId(trx, { issuer: deps.issuer, id: logout.jti, expiresAt });
      if (!isFirst) throw toRefusal(new Error("A repeated logout token"));
      return await endSessions(trx, deps, logout, stamp);
    });
    for (const userId of ended) deps.forget(userId);
  };
}

function readClaims(payload: JWTPayload, at: number): Logout {
  const { nonce } = payload;
  // An ID token has one, so it cannot be sent as a logout token.
  if (nonce !== undefined) throw new Error("A logout token with a nonce");
  const logout = claimsSchema.parse(payload);
  const { [event]: named } = logout.events;
  if (typeof named !== "object" || named === null) throw new Error("A token of another event");
  if (logout.iat * 1000 < at - ageMsMax || logout.iat * 1000 > at + skewMs) {
    throw new Error("A logout token of another time");
  }
  if (logout.exp * 1000 > at + ageMsMax) throw new Error("A logout token that lasts too long");
  return logout;
}

function toRefusal(cause: unknown): HubError {
  return new HubError("bad_request", "The logout token is not valid.", { cause });
}

/** By `sid` one session at the provider, without it all of the person. Returns whose sessions they were. */
async function endSessions(
  trx: Parameters<Parameters<typeof transaction>[1]>[0],
  { issuer, ends }: LogoutDeps,
  logout: Pick<Logout, "sub" | "sid">,
  stamp: ReturnType<typeof stampChange>,
): Promise<string[]> {
  const { sub, sid } = { sub: logout.sub ?? null, sid: logout.sid ?? null };
  const identity = sub === null ? null : await findIdentity(trx, { issuer, subject: sub });
  const there = await listProviderUsers(trx, { issuer, subject: sub, sid });
  const userIds = new Set(there.map(({ userId }) => userId));
  if (identity !== null) userIds.add(identity.userId);
  if (sid !== null && sub === null) await deleteProviderSessions(trx, { userId: null, sid });
  for (const userId of userIds) await deleteProviderSessions(trx, { userId, sid });
  const change = { endedAt: stamp.changedAt, failure: "logged out", refusesTokens: true };
  for (const session of there) {
    if (ends === "all") await updateProviderSession(trx, session, change);
  }
  for (const [at, userId] of [...userIds].entries()) {
    const user = await findUserById(trx, userId);
    // One logout is of one person: a second entry would need a second id.
    if (user === null || at > 0) continue;
    await recordChange(trx, stamp, {
      action: "user.provider_logout",
      kind: "user",
      id: userId,
      name: user.email,
      detail: { ends },
    });
  }
  return [...userIds];
}
