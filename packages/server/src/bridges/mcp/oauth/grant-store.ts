import type { SecretLocation } from "../../../secrets/at-rest/at-rest.ts";
import {
  toAccountLocation,
  toConnectionLocation,
} from "../../../secrets/at-rest/secret-locations.ts";
import {
  type AccountTokens,
  claimAccountRefresh,
  findAccountTokens,
  putAccountTokens,
  releaseAccountRefresh,
} from "../../../store/accounts/account-tokens.ts";
import { loseUserAccount } from "../../../store/accounts/user-accounts-table.ts";
import type { Db, Transaction } from "../../../store/database/database.ts";
import {
  claimRefresh,
  findRowConnection,
  loseRowConnection,
  putRefreshedTokens,
  releaseRefresh,
  type StoredTokens,
} from "../../../store/rows/row-connections.ts";
import type { AuthorizedRow } from "./authorized-row.ts";

/** The tokens of a grant as they are stored now. */
export type StoredGrant = StoredTokens & {
  /** Of a row's connection. Null of an account. */
  connectionId: string | null;
  /** The row's address when it was connected. Null if it is among what is sealed. */
  address: string | null;
  lost: { reason: string; at: number } | null;
};

/** Names the tokens of a grant that a refresh replaces, and the refresh. */
export type GrantRefresh = { tokensId: string; refreshId: string };

type Loss = { reason: string; at: number };

/** Where the tokens of a grant are stored: with a row, or with an account of a user. */
export type GrantStore = {
  location: SecretLocation;
  find(db: Db): Promise<StoredGrant | null>;
  claim(db: Db, refresh: GrantRefresh, times: { now: number; until: number }): Promise<boolean>;
  release(db: Db, refresh: GrantRefresh): Promise<void>;
  put(trx: Transaction, refresh: GrantRefresh, tokens: StoredTokens, at: number): Promise<boolean>;
  lose(db: Db, tokensId: string, loss: Loss): Promise<void>;
};

export function toGrantStore({ rowId, account }: AuthorizedRow): GrantStore {
  if (account === null) return toConnectionStore(rowId);
  const { id: accountId, userId } = account;
  return {
    location: toAccountLocation({ id: accountId, userId, rowId }),
    find: async (db) => toGrant(await findAccountTokens(db, account)),
    claim: (db, refresh, times) => claimAccountRefresh(db, { accountId, ...refresh }, times),
    release: (db, refresh) => releaseAccountRefresh(db, { accountId, ...refresh }),
    put: (trx, refresh, tokens, at) =>
      putAccountTokens(trx, { accountId, userId, rowId, ...refresh }, tokens, at),
    lose: (db, tokensId, loss) => loseUserAccount(db, { id: accountId, tokensId }, loss),
  };
}

function toGrant(found: AccountTokens | null): StoredGrant | null {
  if (found === null) return null;
  const { tokensId, sealed, scope, expiresAt, renewAt, lost } = found;
  const tokens = { tokensId, sealed, scope, expiresAt, renewAt, lost };
  return { ...tokens, canRenew: renewAt !== null, connectionId: null, address: null };
}

function toConnectionStore(rowId: string): GrantStore {
  return {
    location: toConnectionLocation(rowId),
    async find(db) {
      const found = await findRowConnection(db, rowId);
      return found === null ? null : { ...found, connectionId: found.id };
    },
    claim: (db, refresh, times) => claimRefresh(db, { rowId, ...refresh }, times),
    release: (db, refresh) => releaseRefresh(db, { rowId, ...refresh }),
    put: (trx, refresh, tokens) => putRefreshedTokens(trx, { rowId, ...refresh }, tokens),
    lose: (db, tokensId, loss) => loseRowConnection(db, { rowId, tokensId }, loss),
  };
}
