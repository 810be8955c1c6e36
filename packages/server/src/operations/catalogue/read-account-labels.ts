import type { Caller } from "../../caller.ts";
import type { Row } from "../../connectors/rows/row-directory.ts";
import { listAccountLabels } from "../../store/accounts/user-accounts-table.ts";
import type { Db } from "../../store/database/database.ts";

/** The labels of a caller's own accounts by the id of their row. */
export type AccountLabels = ReadonlyMap<string, readonly string[]>;

export const noAccounts: AccountLabels = new Map();

/** Of the rows whose calls use own accounts. It takes no query if there is no such row. */
export async function readAccountLabels(
  db: Db,
  { userId }: Pick<Caller, "userId">,
  rows: readonly Pick<Row, "id" | "access">[],
): Promise<AccountLabels> {
  const used = rows.filter(({ access }) => access !== "shared");
  if (used.length === 0) return noAccounts;
  const labels = await listAccountLabels(db, userId);
  return new Map(used.flatMap(({ id }) => toEntries(id, labels.get(id))));
}

function toEntries(id: string, labels: string[] | undefined): [string, string[]][] {
  return labels === undefined ? [] : [[id, labels]];
}
