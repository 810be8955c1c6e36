import { expressionBuilder, type SqlBool, sql } from "kysely";
import type { Tables } from "../database/tables.ts";

/** A user who may be an approver, with the tags of this moment. */
export type ApprovalReader = { userId: string; email: string; tags: readonly string[] };

/**
 * Whether a user may be one of the deciders of the row of `workflow_approvals` that a statement looks at. It is no
 * `exists`, for which PostgreSQL may read the approvers of all approvals.
 */
export function isApprover({ userId, email, tags }: ApprovalReader) {
  const named = expressionBuilder<Tables, never>()
    .selectFrom("workflow_approvers")
    .select("approval_id")
    .where("approval_id", "=", sql.ref<string>("workflow_approvals.id"))
    .where((one) =>
      one.or([
        // Both: the user who was meant, by the name that was written.
        one.and([one("kind", "=", "user"), one("name", "=", userId), one("email", "=", email)]),
        ...(tags.length === 0 ? [] : [one.and([one("kind", "=", "tag"), one("name", "in", tags)])]),
      ]),
    )
    .limit(1);
  return sql<SqlBool>`(${named}) is not null`;
}
