import type { Db } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** Whether a program may get a token without a browser: an admin has registered a client or an issuer. */
export async function hasMachines(db: Db): Promise<boolean> {
  const client = await toKysely(db)
    .selectFrom("machine_clients")
    .select("id")
    .limit(1)
    .executeTakeFirst();
  if (client !== undefined) return true;
  const issuer = await toKysely(db)
    .selectFrom("trusted_issuers")
    .select("id")
    .limit(1)
    .executeTakeFirst();
  return issuer !== undefined;
}
