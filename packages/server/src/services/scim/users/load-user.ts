import { HubError } from "../../../errors.ts";
import type { Db } from "../../../store/database/database.ts";
import {
  findScimUserById,
  hasIdentityOf,
  type ScimUserRecord,
} from "../../../store/scim/scim-users-table.ts";
import type { ScimRequester } from "../scim-deps.ts";

type Client = ScimRequester["client"];

/** The user that a client may see. Throws `not_found`, also for users of others. */
export async function loadScimUser(db: Db, client: Client, id: string): Promise<ScimUserRecord> {
  const user = await findScimUserById(db, id.toLowerCase());
  if (user !== null && (await isVisible(db, client, user))) return user;
  throw new HubError("not_found", "There is no such user.");
}

async function isVisible(db: Db, client: Client, user: ScimUserRecord): Promise<boolean> {
  if (user.kept !== null) return user.kept.clientId === client.id && user.kept.userName !== null;
  return await mayTakeOver(db, client, user);
}

/**
 * Whether a client may take over a user that no client keeps: one who signed in by its issuer, and has no password. A user that
 * it has deleted is its own again.
 */
export async function mayTakeOver(
  db: Db,
  { id: clientId, issuer }: Client,
  user: ScimUserRecord,
): Promise<boolean> {
  if (!user.isPerson || user.hasPassword) return false;
  if (user.kept !== null) return user.kept.clientId === clientId && user.kept.userName === null;
  return issuer !== null && (await hasIdentityOf(db, { userId: user.id, issuer }));
}

/** A password makes a user local: the holder of a SCIM token must not take such an account. */
export function checkChangeable({ isPerson, hasPassword }: ScimUserRecord): void {
  if (isPerson && !hasPassword) return;
  throw new HubError(
    "forbidden",
    "This user has a password on the hub, so only an admin there changes the user.",
  );
}
