import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import type { UserOrigin } from "../database/tables/user-tables.ts";

/** Records what made a user. */
export async function setUserOrigin(
  trx: Transaction,
  id: string,
  origin: UserOrigin,
): Promise<void> {
  await toKysely(trx)
    .updateTable("users")
    .set({ user_origin: origin })
    .where("id", "=", id)
    .execute();
}

/** Records what disabled a user, if it was not done by hand. */
export async function setDisabledBy(
  trx: Transaction,
  id: string,
  by: "groups" | "scim",
): Promise<void> {
  await toKysely(trx)
    .updateTable("users")
    .set({ disabled_by: by })
    .where("id", "=", id)
    .where("status", "=", "disabled")
    .execute();
}

/** Changes the e-mail, which is in lower case. Its caller makes sure that no other user has it. */
export async function setUserEmail(
  trx: Transaction,
  id: string,
  email: string,
  at: number,
): Promise<void> {
  await toKysely(trx)
    .updateTable("users")
    .set({ email, updated_at: at })
    .where("id", "=", id)
    .execute();
}

/** Whether a tag or the role of the user was given by hand. */
export async function hasRightsByHand(db: Db, id: string): Promise<boolean> {
  const user = await toKysely(db)
    .selectFrom("users")
    .select((one) => [
      "role",
      "hand_role",
      one
        .selectFrom("user_tags")
        .select("user_tags.tag_id")
        .whereRef("user_tags.user_id", "=", "users.id")
        .where("by_hand", "=", 1)
        .limit(1)
        .as("tag"),
    ])
    .where("users.id", "=", id)
    .executeTakeFirst();
  if (user === undefined) return false;
  return (user.hand_role ?? user.role) === "admin" || user.tag !== null;
}
