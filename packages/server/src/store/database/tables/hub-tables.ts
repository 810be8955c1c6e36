import type { Generated } from "kysely";

/** The tables of the hub itself: its processes, settings, changes and embeddings. */
export type HubTables = {
  instances: {
    id: string;
    kind: InstanceKind;
    pid: number;
    hostname: string;
    started_at: number;
    heartbeat_at: number;
    local_url: string | null;
    base_url: string | null;
    version: Generated<string>;
    clock_offset_ms: Generated<number>;
  };
  revision: { id: number; value: number };
  settings: { key: string; value: string };
  changes: {
    id: string;
    changed_at: number;
    actor_id: string;
    actor: string;
    via: string;
    token_id: string | null;
    ip_address: string | null;
    action: string;
    target_kind: string;
    target_id: string;
    target: string;
    detail: string;
  };
  periodic_jobs: {
    name: string;
    due_at: number;
    holder: string | null;
    held_until: number | null;
  };
  embeddings: { model: string; text_hash: string; vector: Uint8Array; used_at: number };
  embedding_leases: { model: string; holder: string; expires_at: number };
};

/** The columns of those that are read whole. */
export const hubColumns = {
  changes: [
    "id",
    "changed_at",
    "actor_id",
    "actor",
    "via",
    "token_id",
    "ip_address",
    "action",
    "target_kind",
    "target_id",
    "target",
    "detail",
  ],
  embedding_leases: ["model", "holder", "expires_at"],
} as const satisfies { [Table in keyof HubTables]?: ReadonlyArray<keyof HubTables[Table]> };

export type InstanceKind = "serve" | "stdio" | "cli";
