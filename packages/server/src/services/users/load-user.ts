import { HubError } from "../../errors.ts";
import type { Db } from "../../store/database/database.ts";
import { findUserById, type User } from "../../store/users/users-table.ts";

/** The user with this id. Throws `not_found`. */
export async function loadUser(db: Db, id: string): Promise<User> {
  const user = await findUserById(db, id.toLowerCase());
  if (user === null) throw new HubError("not_found", "There is no such user.");
  return user;
}

/** The same for what people alone have, such as a password. Throws `conflict` for a service user. */
export async function loadPerson(db: Db, id: string): Promise<User> {
  const user = await loadUser(db, id);
  if (user.kind === "person") return user;
  throw new HubError(
    "conflict",
    `"${user.name}" is a service user. Change it on the page Users, Service users, or with \`hub service-user\`.`,
  );
}
