import { HubError } from "../../errors.ts";
import type { Db } from "../../store/database/database.ts";
import { findUserById, type User } from "../../store/users/users-table.ts";

/** The user with this id. Throws `not_found`. */
export async function loadUser(db: Db, id: string): Promise<User> {
  const user = await findUserById(db, id.toLowerCase());
  if (user === null) throw new HubError("not_found", "There is no such user.");
  return user;
}
