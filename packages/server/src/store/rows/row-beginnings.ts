import { HubError } from "../../errors.ts";
import type { Db, Transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";

/** So many characters of an id name its row in the arguments of a call. */
export const beginningChars = 8;
/** Of 3,000 rows, one of a million ids begins like one of them. */
const triesMax = 20;

/**
 * A random id for a new row that begins like that of no row, deleted ones included. Made before the transaction that
 * inserts the row.
 */
export async function makeRowId(db: Db, createId: () => string = createRandomId): Promise<string> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const id = createId();
    if ((await findHolder(db, id)) === null) return id;
  }
  throw new Error("No random id begins like that of no row.");
}

/**
 * Keeps the beginning of a row's id for the row, also after it is deleted. One that another row has stays with
 * that one: an id may be given, as by a hub file. Throws `conflict` then if the id was made.
 */
export async function keepBeginning(
  trx: Transaction,
  id: string,
  { isMade }: { isMade: boolean },
): Promise<void> {
  const holder = await toKysely(trx)
    .insertInto("row_beginnings")
    .values({ beginning: toBeginning(id), row_id: id })
    // An update that changes nothing, so that the row which has it is returned.
    .onConflict((conflict) =>
      conflict
        .column("beginning")
        .doUpdateSet(({ ref }) => ({ row_id: ref("row_beginnings.row_id") })),
    )
    .returning("row_id")
    .executeTakeFirstOrThrow();
  if (!isMade || holder.row_id === id) return;
  throw new HubError(
    "conflict",
    "Another row was made at the same moment with an id that begins alike. Nothing was stored. Try again.",
  );
}

async function findHolder(db: Db, id: string): Promise<string | null> {
  const found = await toKysely(db)
    .selectFrom("row_beginnings")
    .select("row_id")
    .where("beginning", "=", toBeginning(id))
    .executeTakeFirst();
  return found?.row_id ?? null;
}

function toBeginning(id: string): string {
  return id.slice(0, beginningChars);
}

function createRandomId(): string {
  return crypto.randomUUID();
}
