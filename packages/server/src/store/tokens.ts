import type { Db } from "./tables.ts";

export type TokenRecord = {
  id: string;
  userId: string;
  name: string;
  lastFour: string;
  createdAt: number;
  lastUsedAt: number | null;
  expiresAt: number | null;
  revokedAt: number | null;
};

export type NewToken = {
  userId: string;
  name: string;
  /** SHA-256 of the token; the token itself is never stored. */
  tokenHash: Uint8Array;
  lastFour: string;
  expiresAt: number | null;
};

export declare function insertToken(db: Db, token: NewToken): Promise<TokenRecord>;
/** Oldest first, revoked ones too. */
export declare function listTokens(db: Db, filter?: { userId?: string }): Promise<TokenRecord[]>;
/** False when there is no such token, or it was revoked before. */
export declare function revokeToken(db: Db, id: string): Promise<boolean>;
/** Notes when tokens were last used; an older time never overwrites a newer one. */
export declare function touchTokens(
  db: Db,
  uses: readonly { id: string; at: number }[],
): Promise<void>;
