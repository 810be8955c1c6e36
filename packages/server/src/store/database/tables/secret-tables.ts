/** The tables of secret managers. */
export type SecretTables = {
  secret_sources: {
    id: string;
    name: string;
    settings: string;
    sealed: Uint8Array | null;
    prefixes: string;
    revision: number;
    changed_by: string | null;
    created_at: number;
  };
  secret_references: {
    id: string;
    name: string;
    source_id: string;
    path: string;
    field: string;
    version: string | null;
    tags: string;
    rows: string;
    hosts: string;
    revision: number;
    changed_by: string | null;
    created_at: number;
  };
  secret_reads: {
    id: string;
    reference_id: string;
    read_at: number;
    outcome: SecretReadKind;
    version: string | null;
    reason: string | null;
  };
};

export type SecretReadKind = "read" | "away" | "refused" | "absent" | "bad";

/** The columns of those that are read whole. */
export const secretColumns = {
  secret_sources: [
    "id",
    "name",
    "settings",
    "sealed",
    "prefixes",
    "revision",
    "changed_by",
    "created_at",
  ],
  secret_references: [
    "id",
    "name",
    "source_id",
    "path",
    "field",
    "version",
    "tags",
    "rows",
    "hosts",
    "revision",
    "changed_by",
    "created_at",
  ],
} as const satisfies { [Table in keyof SecretTables]?: ReadonlyArray<keyof SecretTables[Table]> };
