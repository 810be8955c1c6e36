import type { Caller } from "../../caller.ts";
import type { Row } from "../../connectors/rows/row-directory.ts";
import { readOwnAccounts } from "../../store/accounts/user-accounts-table.ts";
import type { Db } from "../../store/database/database.ts";

/** Names the accounts of the caller in the row as they are now. Rows with shared access take no query. */
export async function nameAccounts(
  { db }: { db: Db },
  { userId }: Pick<Caller, "userId">,
  row: Pick<Row, "id" | "access"> | null,
): Promise<string> {
  if (row === null || row.access === "shared") return "";
  const { accounts, hadOne } = await readOwnAccounts(db, { userId, rowId: row.id });
  const named = accounts.map(({ id, tokensId, lost }) => [id, tokensId, lost === null]);
  return JSON.stringify([hadOne, named]);
}
