import type { Account, AccountRow } from "@hub/contract/account.ts";

/**
 * The id of the account or the row whose button leads the page: the row that a call led here for, if it has no account; else the
 * first account that must be connected again, or the first row without one. Null if nothing is to do.
 */
export function findLeading(
  rows: ReadonlyArray<Pick<AccountRow, "id">>,
  accounts: ReadonlyArray<Pick<Account, "id" | "row_id" | "problem">>,
  asked: string | undefined,
): string | null {
  const isEmpty = ({ id }: Pick<AccountRow, "id">) =>
    !accounts.some(({ row_id: row }) => row === id);
  const first = rows.find((row) => row.id === asked && isEmpty(row));
  if (first !== undefined) return first.id;
  const lost = accounts.find(
    ({ problem, row_id: row }) => problem !== null && rows.some(({ id }) => id === row),
  );
  return lost?.id ?? rows.find(isEmpty)?.id ?? null;
}
