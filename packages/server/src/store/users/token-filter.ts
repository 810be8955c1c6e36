import type { ExpressionBuilder } from "kysely";
import type { Tables } from "../database/tables.ts";
import { contains } from "../search/contains.ts";

export type TokenFilter = {
  userId?: string | undefined;
  /** Only tokens with this text in their name, their last characters or their user's e-mail, in any case. */
  text?: string | undefined;
  /** Only tokens in this state at a time; epoch ms. */
  inState?: { state: "active" | "expired" | "revoked"; at: number } | undefined;
};

type TokenExpressions = ExpressionBuilder<Tables, "personal_access_tokens">;

export function matchesToken(token: TokenExpressions, filter: TokenFilter) {
  const { userId, text, inState } = filter;
  const conditions = [];
  if (userId !== undefined) conditions.push(token("user_id", "=", userId));
  if (text !== undefined) {
    const named = token
      .selectFrom("users")
      .select("users.id")
      .where(() => contains(["users.email"], text));
    conditions.push(
      token.or([contains(["name", "last_four"], text), token("user_id", "in", named)]),
    );
  }
  if (inState !== undefined) conditions.push(isInState(token, inState));
  return token.and(conditions);
}

/** A revoked token is that whatever its end. */
function isInState(token: TokenExpressions, { state, at }: NonNullable<TokenFilter["inState"]>) {
  if (state === "revoked") return token("revoked_at", "is not", null);
  const isLive = token.or([token("expires_at", "is", null), token("expires_at", ">", at)]);
  const isOver = state === "active" ? isLive : token.not(isLive);
  return token.and([token("revoked_at", "is", null), isOver]);
}
