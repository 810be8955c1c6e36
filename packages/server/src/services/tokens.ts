import { toTimeText } from "@hub/contract/time.ts";
import { type CreatedToken, type Token, tokenScopeSchema } from "@hub/contract/token.ts";
import { z } from "zod";
import type { Caller } from "../caller.ts";
import { HubError } from "../errors.ts";
import { createPersonalToken } from "../identity/personal-token.ts";
import type { Store } from "../store/open-store.ts";
import {
  countLiveTokens,
  insertToken,
  listTokens,
  revokeToken,
  type TokenRecord,
  trimEndedTokens,
} from "../store/tokens.ts";
import { listUsers } from "../store/users.ts";
import type { ChangeRecorder } from "./change-recorder.ts";
import { checkInput, lineSchema } from "./check-input.ts";
import { findByIdPrefix } from "./find-by-id-prefix.ts";
import { findUser } from "./find-user.ts";

type TokenDeps = { store: Store; now: () => number; changes: ChangeRecorder };

const dayMs = 86_400_000;
/** Tokens of one user that work at once. Those from before this limit keep working beyond it. */
const liveTokensMax = 50;
/** So many that ended stay listed: a user who makes and revokes tokens without end fills no table. */
const endedTokensMax = 50;

const newTokenSchema = z.strictObject({
  /** Email of the user it will speak for. */
  user: z.string(),
  name: lineSchema(100),
  /** `mcp` opens the MCP endpoint alone, `manage` the management API as well. */
  scope: tokenScopeSchema.default("mcp"),
  /** Counted from now. */
  expiresInDays: z
    .int({ error: "must be a whole number of days." })
    .min(1, { error: "must be at least 1." })
    .max(3650, { error: "must be at most 3650." })
    .optional(),
});

export type NewTokenInput = z.input<typeof newTokenSchema>;
export type TokenVerbs = ReturnType<typeof createTokenVerbs>;

/** Verbs on personal access tokens. */
export function createTokenVerbs({ store, now, changes }: TokenDeps) {
  const revoke = async (id: string): Promise<Token> => {
    return store.transaction(async (trx) => {
      const found = findByIdPrefix(await listTokens(trx), id);
      if (found === null) {
        throw new HubError(
          "not_found",
          `There is no token "${id}". List the tokens for their ids.`,
        );
      }
      await revokeToken(trx, found.id);
      const [after] = (await listTokens(trx)).filter((record) => record.id === found.id);
      const users = await listUsers(trx);
      const owner = users.find((user) => user.id === found.userId);
      await changes.record(trx, {
        action: "token.revoke",
        kind: "token",
        id: found.id,
        name: found.name,
        detail: { user: owner?.email ?? null },
      });
      return toToken(after ?? found, owner?.email ?? "");
    });
  };

  return {
    /** The answer is the only place where the token itself is ever seen. */
    async create(input: NewTokenInput): Promise<CreatedToken> {
      const { user: email, name, scope, expiresInDays } = checkInput(newTokenSchema, input);
      const { token, tokenHash, lastFour } = createPersonalToken();
      const expiresAt = expiresInDays === undefined ? null : now() + expiresInDays * dayMs;
      return store.transaction(async (trx) => {
        const user = await findUser(trx, email);
        if (user.status !== "active") {
          throw new HubError(
            "conflict",
            `"${user.email}" is ${user.status}, so a token would not work. Enable the user first.`,
          );
        }
        if ((await countLiveTokens(trx, { userId: user.id, at: now() })) >= liveTokensMax) {
          throw new HubError(
            "conflict",
            `"${user.email}" has ${liveTokensMax} tokens that work, which is the limit. Revoke one that is not needed first.`,
          );
        }
        await trimEndedTokens(trx, { userId: user.id, at: now(), kept: endedTokensMax });
        const values = { userId: user.id, name, scope, tokenHash, lastFour, expiresAt };
        const record = await insertToken(trx, values);
        await changes.record(trx, {
          action: "token.create",
          kind: "token",
          id: record.id,
          name,
          detail: { user: user.email, scope },
        });
        return { ...toToken(record, user.email), token };
      });
    },

    /** All tokens, or those of one user; oldest first. */
    async list(filter: { user?: string } = {}): Promise<Token[]> {
      const owner = filter.user === undefined ? null : await findUser(store.db, filter.user);
      const records = await listTokens(store.db, owner === null ? {} : { userId: owner.id });
      const users = await listUsers(store.db);
      const emails = new Map(users.map((user) => [user.id, user.email]));
      return records.map((record) => toToken(record, emails.get(record.userId) ?? ""));
    },

    /** To everybody but its owner, and admins by `revoke`, a token is not there. */
    async revokeOwn(caller: Pick<Caller, "userId">, id: string): Promise<Token> {
      const own = await listTokens(store.db, { userId: caller.userId });
      if (!own.some((record) => record.id === id.toLowerCase())) {
        throw new HubError("not_found", "You have no such token.");
      }
      return await revoke(id);
    },

    /** Takes an id, or enough of its beginning to tell it from others. */
    revoke,
  };
}

function toToken(record: TokenRecord, email: string): Token {
  return {
    id: record.id,
    user: email,
    name: record.name,
    last_four: record.lastFour,
    scope: record.scope,
    created_at: toTimeText(record.createdAt),
    last_used_at: toNullableTime(record.lastUsedAt),
    expires_at: toNullableTime(record.expiresAt),
    revoked_at: toNullableTime(record.revokedAt),
  };
}

function toNullableTime(epochMs: number | null): string | null {
  return epochMs === null ? null : toTimeText(epochMs);
}
