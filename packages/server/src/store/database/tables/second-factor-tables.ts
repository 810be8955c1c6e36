/** The second factors of users. */
export type SecondFactorTables = {
  second_factors: {
    id: string;
    user_id: string;
    kind: FactorKind;
    name: string;
    sealed: Uint8Array | null;
    last_step: number | null;
    credential_id: Uint8Array | null;
    public_key: Uint8Array | null;
    algorithm: number | null;
    counter: number | null;
    created_at: number;
    last_used_at: number | null;
  };
  recovery_codes: { user_id: string; hash: Uint8Array; used_at: number | null };
};

/** The columns of those that are read whole. */
export const secondFactorColumns = {
  second_factors: [
    "id",
    "user_id",
    "kind",
    "name",
    "sealed",
    "last_step",
    "credential_id",
    "public_key",
    "algorithm",
    "counter",
    "created_at",
    "last_used_at",
  ],
} as const satisfies {
  [Table in keyof SecondFactorTables]?: ReadonlyArray<keyof SecondFactorTables[Table]>;
};

/** `totp` is an app that shows codes. */
export type FactorKind = "totp" | "passkey";
