import { toTimeText } from "@hub/contract/time.ts";
import {
  type TokenBounds as Bounds,
  type CreatedToken,
  type Token,
  tokenScopeSchema,
} from "@hub/contract/token.ts";
import { z } from "zod";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import type { Config } from "../../config.ts";
import { HubError } from "../../errors.ts";
import { hashToken } from "../../identity/authenticate-bearer.ts";
import { createPersonalToken } from "../../identity/personal-token.ts";
import { isActive } from "../../identity/to-caller.ts";
import type { TokenBounds } from "../../lib/call-bounds.ts";
import { checkInput, lineSchema } from "../../lib/input/check-input.ts";
import { type Page, type PageInput, readPage } from "../../lib/input/page.ts";
import { type Db, transaction } from "../../store/database/database.ts";
import { findEmails } from "../../store/search/name-lookups.ts";
import type { TokenFilter } from "../../store/users/token-filter.ts";
import {
  countLiveTokens,
  countTokens as countStoredTokens,
  findToken,
  findTokenByHash,
  insertToken,
  listTokenPage,
  revokeToken as revokeStoredToken,
  type TokenRecord,
  trimEndedTokens,
} from "../../store/users/tokens-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { loadUser } from "./load-user.ts";
import { newBoundsSchema } from "./new-bounds.ts";

export type TokenDeps = Pick<ServiceDeps, "store" | "now"> & {
  config: Pick<Config, "boundTokenDaysMax">;
};

export const dayMs = 86_400_000;
/** Active tokens of one user. Users who had more before this limit keep them. */
const liveTokensMax = 50;
/** Ended tokens that stay listed, so that endless creation and revocation cannot fill the table. */
const endedTokensMax = 50;

const newTokenSchema = z.strictObject({
  name: lineSchema(100),
  /** `mcp` gives access to the MCP endpoint, `manage` to the management API as well. */
  scope: tokenScopeSchema.default("mcp"),
  /** Counted from now. */
  expiresInDays: z
    .int({ error: "must be a whole number of days." })
    .min(1, { error: "must be at least 1." })
    .max(3650, { error: "must be at most 3650." })
    .optional(),
  bounds: newBoundsSchema.optional(),
});

export type NewTokenInput = z.input<typeof newTokenSchema>;

/** Creates a token for a user. The token itself is returned only here. */
export async function createToken(
  deps: TokenDeps,
  actor: Actor,
  userId: string,
  input: NewTokenInput,
): Promise<CreatedToken> {
  const { name, scope, bounds = null, ...asked } = checkInput(newTokenSchema, input);
  const at = deps.now();
  const { kind } = await loadUser(deps.store.db, userId);
  const isLimited = bounds !== null || kind === "service";
  if (isLimited && scope !== "mcp") throw refuseManage();
  const expiresInDays = isLimited ? limitDays(deps, asked.expiresInDays) : asked.expiresInDays;
  const expiresAt = expiresInDays === undefined ? null : at + expiresInDays * dayMs;
  const stamp = stampChange(actor, at);
  const secret = makeSecret({ isLimited });
  return await transaction(deps.store.db, async (trx) => {
    const created = await addToken(trx, secret, { userId, name, scope, at, expiresAt, bounds });
    await recordChange(trx, stamp, {
      action: "token.create",
      kind: "token",
      id: created.id,
      name,
      detail: { user: created.user, scope, ...(bounds && { bounds }) },
    });
    return created;
  });
}

/** The random parts of a token. Made before a transaction, which may be tried again. */
export const makeSecret = (form: { isLimited: boolean }) => ({
  id: crypto.randomUUID(),
  ...createPersonalToken(form),
});

/** Bound tokens, and those of service users, open MCP alone: one that managed the hub could make another without bounds. */
function refuseManage(): HubError {
  return new HubError(
    "bad_request",
    "A token with bounds, or of a service user, has the scope mcp. Leave the scope out.",
  );
}

/** They expire, at the latest after `boundTokenDaysMax`. */
export function limitDays(
  { config }: Pick<TokenDeps, "config">,
  asked: number | undefined,
): number {
  const { boundTokenDaysMax: daysMax } = config;
  if (asked === undefined) return daysMax;
  if (asked <= daysMax) return asked;
  throw new HubError(
    "bad_request",
    `This hub lets tokens with bounds, and those of service users, live for ${daysMax} days at most. Ask for fewer, or ask an admin to change HUB_BOUND_TOKEN_DAYS_MAX.`,
  );
}

type AddedToken = Pick<TokenRecord, "userId" | "name" | "scope" | "expiresAt" | "bounds"> & {
  at: number;
};

/** Adds a token of an active user who has fewer than the limit. */
export async function addToken(
  trx: Db,
  { token, ...secret }: ReturnType<typeof makeSecret>,
  { userId, at, ...values }: AddedToken,
): Promise<CreatedToken> {
  const user = await loadUser(trx, userId);
  if (!isActive(user)) {
    throw new HubError(
      "conflict",
      `"${user.email}" is ${user.status}, so a token would not work. Enable the user first.`,
    );
  }
  if ((await countLiveTokens(trx, { userId: user.id, at })) >= liveTokensMax) {
    throw new HubError(
      "conflict",
      `"${user.email}" has ${liveTokensMax} active tokens, which is the limit. Revoke one of them first.`,
    );
  }
  await trimEndedTokens(trx, { userId: user.id, at, kept: endedTokensMax });
  const record = await insertToken(trx, {
    ...values,
    ...secret,
    userId: user.id,
    createdAt: at,
  });
  return { ...toToken(record, user.email), token };
}

/** One page of the tokens that match, oldest first, with the ended ones. */
export async function listTokens(
  { store }: Pick<TokenDeps, "store">,
  { limit, after: given, ...filter }: PageInput & TokenFilter = {},
): Promise<Page<Token>> {
  const { userId } = filter;
  if (userId !== undefined) await loadUser(store.db, userId);
  const page = { limit, after: given };
  const { items, next } = await readPage(page, {
    keyType: "number",
    read: (after, limit) => {
      const start = after && { createdAt: Number(after.key), id: after.id };
      return listTokenPage(store.db, { ...filter, after: start, limit });
    },
    toCursor: ({ createdAt, id }) => ({ key: createdAt, id }),
  });
  const emails = await findEmails(
    store.db,
    items.map((one) => one.userId),
  );
  return { items: items.map((one) => toToken(one, emails.get(one.userId) ?? "")), next };
}

/** The number of the tokens that match. */
export function countTokens(
  { store }: Pick<TokenDeps, "store">,
  filter: TokenFilter,
): Promise<number> {
  return countStoredTokens(store.db, filter);
}

/** Finds a token by its text. Returns null for a text that is not a token of this hub. */
export async function findTokenByText(
  { store }: Pick<TokenDeps, "store">,
  text: string,
): Promise<Token | null> {
  const found = await findTokenByHash(store.db, hashToken(text));
  return found === null ? null : toToken(found, (await loadUser(store.db, found.userId)).email);
}

/** Revokes a token: its next call is refused. With `of`, only for a token of this user. */
export async function revokeToken(
  { store, now }: Pick<TokenDeps, "store" | "now">,
  actor: Actor,
  tokenId: string,
  { of }: { of?: string } = {},
): Promise<Token> {
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const { id, userId, name } = await loadToken(trx, tokenId, of);
    const { email } = await loadUser(trx, userId);
    await revokeStoredToken(trx, id, stamp.changedAt);
    const change = { action: "token.revoke", kind: "token", id, name } as const;
    await recordChange(trx, stamp, { ...change, detail: { user: email } });
    return toToken(await loadToken(trx, id), email);
  });
}

/** Finds a token; with `of`, only one of this user. */
export async function loadToken(db: Db, id: string, of?: string): Promise<TokenRecord> {
  const token = await findToken(db, id.toLowerCase());
  if (token !== null && (of === undefined || token.userId === of)) return token;
  throw new HubError(
    "not_found",
    of === undefined
      ? `There is no token "${id}". List the tokens to see their ids.`
      : "You have no such token.",
  );
}

export function toToken(record: TokenRecord, email: string): Token {
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
    bounds: record.bounds === null ? null : toBounds(record.bounds),
  };
}

/** Lists that may be changed, as the contract's types are. */
export function toBounds({ rows, operations, addresses }: TokenBounds): Bounds {
  return {
    ...(rows && { rows: [...rows] }),
    ...(operations && { operations: [...operations] }),
    ...(addresses && { addresses: [...addresses] }),
  };
}

function toNullableTime(epochMs: number | null): string | null {
  return epochMs === null ? null : toTimeText(epochMs);
}
