/** The tables of clients and issuers that get tokens without a browser. */
export type MachineTables = {
  machine_clients: {
    id: string;
    name: string;
    user_id: string | null;
    auth: MachineClientAuth;
    secret_hash: Uint8Array | null;
    /** JSON. */
    jwks: string | null;
    /** JSON. */
    bounds: string | null;
    created_by: string;
    created_at: number;
    expires_at: number | null;
    last_used_at: number | null;
  };
  trusted_issuers: {
    id: string;
    name: string;
    issuer: string;
    kind: TrustedIssuerKind;
    jwks_uri: string | null;
    audience: string | null;
    /** JSON. */
    conditions: string;
    user_id: string | null;
    /** JSON. */
    bounds: string | null;
    created_by: string;
    created_at: number;
    last_used_at: number | null;
  };
};

/** How a client proves who it is: by a secret, or by a key that only it has. */
export type MachineClientAuth = "client_secret" | "private_key_jwt";

/** `workload`: the platform of a program says what it is. `id_jag`: a company's provider says who the user is. */
export type TrustedIssuerKind = "workload" | "id_jag";

/** The columns of those that are read whole. */
export const machineColumns = {
  machine_clients: [
    "id",
    "name",
    "user_id",
    "auth",
    "secret_hash",
    "jwks",
    "bounds",
    "created_by",
    "created_at",
    "expires_at",
    "last_used_at",
  ],
  trusted_issuers: [
    "id",
    "name",
    "issuer",
    "kind",
    "jwks_uri",
    "audience",
    "conditions",
    "user_id",
    "bounds",
    "created_by",
    "created_at",
    "last_used_at",
  ],
} as const satisfies { [Table in keyof MachineTables]?: ReadonlyArray<keyof MachineTables[Table]> };
