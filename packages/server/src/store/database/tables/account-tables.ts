/** Whose accounts the calls of a row use: the row's, the caller's, or the row's for users who never connected an own one. */
export type RowAccess = "shared" | "own" | "own_else_shared";

/** The tables of the accounts of users in rows. */
export type AccountTables = {
  user_accounts: {
    id: string;
    user_id: string;
    row_id: string;
    label: string;
    kind: "token" | "oauth" | "removed";
    sealed: Uint8Array;
    tokens_id: string;
    /** JSON. */
    hosts: string;
    publisher: string;
    identity: string | null;
    scope: string | null;
    connected_at: number;
    used_at: number | null;
    expires_at: number | null;
    renew_at: number | null;
    refresh_id: string | null;
    refresh_until: number | null;
    lost_reason: string | null;
    lost_at: number | null;
  };
  account_endings: {
    id: string;
    user_id: string;
    row_label: string;
    sealed: Uint8Array;
    attempts: number;
    due_at: number;
    failure: string | null;
    created_at: number;
  };
  account_connects: {
    state_hash: Uint8Array;
    user_id: string;
    session_id: string;
    row_id: string;
    label: string;
    sealed: Uint8Array;
    expires_at: number;
  };
};

/** The columns of those that are read whole. */
export const accountColumns = {
  user_accounts: [
    "id",
    "user_id",
    "row_id",
    "label",
    "kind",
    "sealed",
    "tokens_id",
    "hosts",
    "publisher",
    "identity",
    "scope",
    "connected_at",
    "used_at",
    "expires_at",
    "renew_at",
    "refresh_id",
    "refresh_until",
    "lost_reason",
    "lost_at",
  ],
  account_endings: [
    "id",
    "user_id",
    "row_label",
    "sealed",
    "attempts",
    "due_at",
    "failure",
    "created_at",
  ],
  account_connects: [
    "state_hash",
    "user_id",
    "session_id",
    "row_id",
    "label",
    "sealed",
    "expires_at",
  ],
} as const satisfies { [Table in keyof AccountTables]: ReadonlyArray<keyof AccountTables[Table]> };
