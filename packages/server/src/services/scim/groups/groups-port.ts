import type { Transaction } from "../../../store/database/database.ts";

/** The groups of a user as one source knows them. */
export type UserGroups = {
  userId: string;
  source: `scim:${string}`;
  names: readonly string[];
  /** Epoch ms. */
  at: number;
};

/** Gives the user the tags and the role of the groups of all sources, in the transaction of the change. */
export async function applyGroups(_trx: Transaction, _groups: UserGroups): Promise<void> {}
