import type { RowRecord } from "./rows.ts";
import type { TokenScope, UserRole, UserStatus } from "./tables.ts";

/** What decides what a user may do, as it is now. */
export type UserAccess = {
  userId: string;
  email: string;
  name: string;
  role: UserRole;
  status: UserStatus;
  /** Lower case, `everyone` among them. */
  tags: string[];
};

/** A token and whom it stands for; whether both still count is for the caller to check. */
export type TokenOwner = UserAccess & {
  /** Of an OAuth access token, the grant that it came of: tokens change every hour, it stays. */
  tokenId: string;
  /** Of an OAuth access token always `mcp`. */
  scope: TokenScope;
  expiresAt: number | null;
  revokedAt: number | null;
};

/** All rows and states as of one revision. */
export type Snapshot = {
  revision: number;
  /** Oldest first. */
  rows: RowRecord[];
  /** Keys of the connector types that are switched off. */
  typeDisabled: Set<string>;
  /** Settings of the hub that an admin stored, by the name of their variable. */
  settings: Map<string, string>;
};

/** The reads of every call, on a connection of their own. They throw when the database errs: access fails closed. */
export type HotReads = {
  findTokenOwner(tokenHash: Uint8Array): Promise<TokenOwner | null>;
  /** The same for an OAuth access token. One whose grant has ended is not there. */
  findOAuthTokenOwner(tokenHash: Uint8Array): Promise<TokenOwner | null>;
  findUserAccess(userId: string): Promise<UserAccess | null>;
  loadSnapshot(): Promise<Snapshot>;
  readRevision(): Promise<number>;
};
