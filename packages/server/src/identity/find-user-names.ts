import type { Db } from "../store/database/database.ts";
import { findEmails } from "../store/search/name-lookups.ts";
import { LOCAL_ADMIN_ID, localAdmin } from "./local-admin.ts";

/** What stands in the place of the e-mail of a user who no longer exists. */
export const deletedUser = "a deleted user";

/** The e-mail of each of these users that exists, by id; and that of the local admin, who has no entry among the users. */
export async function findUserNames(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  return new Map(await findEmails(db, ids)).set(LOCAL_ADMIN_ID, localAdmin.email);
}
