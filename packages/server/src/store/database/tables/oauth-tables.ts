/** The tables of OAuth clients, grants and tokens. */
export type OAuthTables = {
  oauth_clients: {
    id: string;
    /** JSON. */
    metadata: string;
    created_at: number;
    last_used_at: number | null;
  };
  oauth_grants: {
    id: string;
    user_id: string;
    client_id: string;
    client_name: string;
    redirect_uri: string;
    scope: string;
    resource: string;
    created_at: number;
    last_used_at: number | null;
    expires_at: number;
    /** JSON: what its tokens limit their calls to. */
    bounds: string | null;
    /** By what a machine got it without a user's consent: `client:ID` or `issuer:ID`. */
    machine: string | null;
  };
  oauth_artifacts: {
    id_hash: Uint8Array;
    model: string;
    grant_id: string | null;
    sealed: Uint8Array;
    expires_at: number;
    consumed_at: number | null;
  };
  oauth_access_tokens: {
    token_hash: Uint8Array;
    grant_id: string;
    user_id: string;
    client_id: string;
    scope: string;
    resource: string;
    created_at: number;
    expires_at: number;
    /** JSON: what the token limits its calls to. */
    bounds: string | null;
  };
};

/** The columns of those that are read whole. */
export const oauthColumns = {
  oauth_grants: [
    "id",
    "user_id",
    "client_id",
    "client_name",
    "redirect_uri",
    "scope",
    "resource",
    "created_at",
    "last_used_at",
    "expires_at",
    "bounds",
    "machine",
  ],
  oauth_artifacts: ["id_hash", "model", "grant_id", "sealed", "expires_at", "consumed_at"],
  oauth_access_tokens: [
    "token_hash",
    "grant_id",
    "user_id",
    "client_id",
    "scope",
    "resource",
    "created_at",
    "expires_at",
    "bounds",
  ],
} as const satisfies { [Table in keyof OAuthTables]?: ReadonlyArray<keyof OAuthTables[Table]> };
