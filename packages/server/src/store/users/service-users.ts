import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { bumpRevision } from "../settings/revision.ts";

/** No provider confirms an address of this domain (RFC 2606), so no sign-in is ever linked to one. */
const emailDomain = "service.invalid";

/** What stands for an e-mail of a service user with this name. */
export function toServiceEmail(name: string): string {
  return `${name}@${emailDomain}`;
}

/** Whether an e-mail, in lower case, stands for a service user, and so for no person. */
export function isServiceEmail(email: string): boolean {
  return email.endsWith(`@${emailDomain}`);
}

/** The owners of those of these users that are service users. */
export async function listServiceOwners(db: Db, ids: readonly string[]): Promise<string[]> {
  if (ids.length === 0) return [];
  const found = await toKysely(db)
    .selectFrom("users")
    .select("owned_by")
    .where("id", "in", [...ids])
    .where("owned_by", "is not", null)
    .execute();
  return found.flatMap(({ owned_by: owner }) => owner ?? []);
}

/** The number of service users of one owner, or of all. */
export async function countServiceUsers(
  db: Db,
  { ownerId }: { ownerId?: string | undefined } = {},
): Promise<number> {
  const { found } = await toKysely(db)
    .selectFrom("users")
    .select((user) => user.fn.countAll<number>().as("found"))
    .where("user_kind", "=", "service")
    .$if(ownerId !== undefined, (query) => query.where("owned_by", "=", ownerId ?? ""))
    .executeTakeFirstOrThrow();
  return Number(found);
}

/** False if there is no such service user. */
export async function setServiceOwner(
  trx: Transaction,
  id: string,
  { ownerId, at }: { ownerId: string; at: number },
): Promise<boolean> {
  const { numUpdatedRows } = await toKysely(trx)
    .updateTable("users")
    .set({ owned_by: ownerId, updated_at: at })
    .where("id", "=", id)
    .where("user_kind", "=", "service")
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await bumpRevision(trx);
  return true;
}
