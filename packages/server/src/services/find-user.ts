import { suggest } from "@hub/connector";
import { HubError } from "../errors.ts";
import type { Db } from "../store/tables.ts";
import { findUserByEmail, listUsers, type User } from "../store/users.ts";

/** The user with this email, in whatever case. Throws `not_found` with the email it resembles. */
export async function findUser(db: Db, email: string): Promise<User> {
  const user = await findUserByEmail(db, email.trim().toLowerCase());
  if (user !== null) return user;
  const emails = (await listUsers(db)).map((other) => other.email);
  throw new HubError(
    "not_found",
    `There is no user "${email}".${suggest(email, emails) || " List the users to see who is there."}`,
  );
}
