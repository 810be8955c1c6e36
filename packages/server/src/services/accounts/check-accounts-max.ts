import { HubError } from "../../errors.ts";

/** Accounts of one user in one row. */
const accountsMax = 10;

/** Throws `conflict` if a user with these accounts in a row cannot have another one there. */
export function checkAccountsMax({ length }: readonly unknown[]): void {
  if (length < accountsMax) return;
  throw new HubError("conflict", `You have ${accountsMax} accounts in this row. Remove one.`);
}
