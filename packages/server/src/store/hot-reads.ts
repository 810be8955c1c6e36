import type { SeenRevision } from "../caller.ts";
import type { RowRecord } from "./rows.ts";
import type { TokenScope, UserRole, UserStatus } from "./tables.ts";

/** The current role, status and tags of a user, which decide on access. */
export type UserAccess = {
  userId: string;
  email: string;
  name: string;
  role: UserRole;
  status: UserStatus;
  /** Lower case, with `everyone`. */
  tags: readonly string[];
  /** The present revision, if reading it together saves a round trip. */
  seen?: SeenRevision;
};

/** A token and its user. The caller checks that both are still valid. */
export type TokenOwner = UserAccess & {
  /** The grant of an OAuth access token: tokens change every hour, the grant stays. */
  tokenId: string;
  /** Always `mcp` for an OAuth access token. */
  scope: TokenScope;
  expiresAt: number | null;
  revokedAt: number | null;
};

/** All rows and states as of one revision. */
export type Snapshot = {
  revision: number;
  /** Oldest first. */
  rows: RowRecord[];
  /** Keys of the disabled connector types. */
  typeDisabled: Set<string>;
  /** Stored settings of the hub, by the name of their variable. */
  settings: Map<string, string>;
};

/**
 * The reads of every call, on their own connection. They throw on database errors: access fails
 * closed.
 */
export type HotReads = {
  findTokenOwner(tokenHash: Uint8Array): Promise<TokenOwner | null>;
  /** The same for an OAuth access token. Null if its grant has ended. */
  findOAuthTokenOwner(tokenHash: Uint8Array): Promise<TokenOwner | null>;
  findUserAccess(userId: string): Promise<UserAccess | null>;
  loadSnapshot(): Promise<Snapshot>;
  readRevision(): Promise<number>;
};
