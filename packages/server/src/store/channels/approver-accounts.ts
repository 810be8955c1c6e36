import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { EVERYONE_TAG } from "../tags/tags-table.ts";
import type { ChatIdentity } from "./chat-accounts-table.ts";

/** Chat accounts of the active users who are approvers now, the oldest first. */
export async function listApproverAccounts(
  db: Db,
  approvalId: string,
  limit: number,
): Promise<(ChatIdentity & { userId: string })[]> {
  const found = await toKysely(db)
    .selectFrom("chat_accounts")
    .innerJoin("users", "users.id", "chat_accounts.user_id")
    .select(["chat_accounts.user_id", "kind", "team_id", "account_id"])
    .where("users.status", "=", "active")
    .where((account) =>
      account.exists(
        account
          .selectFrom("workflow_approvers")
          .select("approval_id")
          .where("approval_id", "=", approvalId)
          .where((one) =>
            one.or([
              one.and([
                one("workflow_approvers.kind", "=", "user"),
                one("workflow_approvers.name", "=", one.ref("users.id")),
                one("workflow_approvers.email", "=", one.ref("users.email")),
              ]),
              one.and([
                one("workflow_approvers.kind", "=", "tag"),
                one.or([
                  one("workflow_approvers.name", "=", EVERYONE_TAG),
                  one.exists(
                    one
                      .selectFrom("user_tags")
                      .innerJoin("tags", "tags.id", "user_tags.tag_id")
                      .select("tags.id")
                      .whereRef("user_tags.user_id", "=", "users.id")
                      .whereRef("tags.name", "=", "workflow_approvers.name"),
                  ),
                ]),
              ]),
            ]),
          ),
      ),
    )
    .orderBy("chat_accounts.created_at")
    .orderBy("chat_accounts.id")
    .limit(limit)
    .execute();
  return found.map(({ user_id: userId, kind, team_id: teamId, account_id: accountId }) => ({
    userId,
    kind,
    accountId,
    teamId: teamId === "" ? null : teamId,
  }));
}
