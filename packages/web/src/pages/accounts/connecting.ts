import type { Account, AccountRow } from "@hub/contract/account.ts";

/** What is connected: a new account in a row, or one again. */
export type Connecting = { row: AccountRow; account: Account | null };
