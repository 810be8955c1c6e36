/** Accounts of one user in one row. */
export const accountsMax = 10;
