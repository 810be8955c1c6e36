import { touchUserAccount } from "../../store/accounts/user-accounts-table.ts";
import type { Row } from "../rows/row-directory.ts";
import type { AccountDeps } from "./resolve-account.ts";

/** How exact the time of the last use is: busy accounts are written once in it. */
const exactMs = 60 * 60_000;

/** Stores that a call uses the account of its row, if it has one. */
export async function recordAccountUse(
  { db, now }: Pick<AccountDeps, "db" | "now">,
  { account }: Pick<Row, "account">,
): Promise<void> {
  if (account === undefined) return;
  const at = now();
  if (account.usedAt !== null && at - account.usedAt < exactMs) return;
  await touchUserAccount(db, account.id, { at, before: at - exactMs });
}
