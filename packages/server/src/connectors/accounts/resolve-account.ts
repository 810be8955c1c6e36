import type { Caller } from "../../caller.ts";
import type { Row } from "../rows/row-directory.ts";

/** Whose access a call uses. Null if its row has no personal fields. */
export type UsedAccount = { kind: "own"; id: string; label: string } | { kind: "shared" } | null;

/** A call that needs the access of its user. */
export type AccountQuestion = {
  caller: Caller;
  row: Row;
  /** The label that the caller named. */
  account?: string | undefined;
};

/** The row as its calls use it with the account of the caller. Throws `needs_account`. */
export async function resolveAccount({
  row,
}: AccountQuestion): Promise<{ row: Row; used: UsedAccount }> {
  return { row, used: null };
}
