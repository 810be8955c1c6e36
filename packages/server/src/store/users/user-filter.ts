import type { ExpressionBuilder } from "kysely";
import type { UserKind, UserRole, UserStatus } from "../database/tables/user-tables.ts";
import type { Tables } from "../database/tables.ts";
import { contains } from "../search/contains.ts";

export type UserFilter = {
  /** Only users with this text in their e-mail or name, in any case. */
  text?: string | undefined;
  kind?: UserKind | undefined;
  role?: UserRole | undefined;
  status?: UserStatus | undefined;
  /** Only users who have this tag. */
  tag?: string | undefined;
  /** Only users who do not have this tag. */
  withoutTag?: string | undefined;
};

type UserExpressions = ExpressionBuilder<Tables, "users">;

export function matchesUser(user: UserExpressions, filter: UserFilter) {
  const { text, kind, role, status, tag, withoutTag } = filter;
  const conditions = [];
  if (text !== undefined) conditions.push(contains(["users.email", "users.name"], text));
  if (kind !== undefined) conditions.push(user("user_kind", "=", kind));
  if (role !== undefined) conditions.push(user("role", "=", role));
  if (status !== undefined) conditions.push(user("status", "=", status));
  if (tag !== undefined) conditions.push(user("users.id", "in", selectTagged(user, tag)));
  if (withoutTag !== undefined) {
    conditions.push(user("users.id", "not in", selectTagged(user, withoutTag)));
  }
  return user.and(conditions);
}

/** The ids of the users with a tag. */
function selectTagged(user: UserExpressions, tag: string) {
  return user
    .selectFrom("user_tags")
    .innerJoin("tags", "tags.id", "user_tags.tag_id")
    .select("user_tags.user_id")
    .where("tags.name", "=", tag);
}
