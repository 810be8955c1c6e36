import type { Generated } from "kysely";
import type { RowAccess } from "./account-tables.ts";
import type { Flag } from "./flag.ts";

/** The tables of rows, their operations and their activity. */
export type RowTables = {
  connector_rows: {
    id: string;
    connector_key: string;
    label: string;
    description: string;
    disabled: Flag;
    /** Grows by one with every change of the row, its values, tags and operation states. */
    version: number;
    created_at: number;
    updated_at: number;
    /** Of channels. */
    slug: Generated<string | null>;
    /** Of the operations that the row brought. */
    operations_id: Generated<string | null>;
    /** Of the row's OAuth connection. */
    connection_id: Generated<string | null>;
    /** Whose connector the row was made for. */
    owner: Generated<"plugin" | "built-in" | null>;
    /** Who may test it. */
    tests: Generated<"admins" | "tag">;
    /** Whose accounts its calls use; null is `shared`. */
    access: Generated<RowAccess | null>;
  };
  /** Either `value` or `sealed` is set, never both. */
  row_values: {
    row_id: string;
    field_key: string;
    value: string | null;
    sealed: Uint8Array | null;
  };
  row_tags: { row_id: string; tag_id: string };
  row_beginnings: { beginning: string; row_id: string };
  operation_states: { row_id: string; operation_key: string; enabled: Flag };
  type_states: { connector_key: string; disabled: Flag };
  row_operations: {
    row_id: string;
    operation_key: string;
    position: number;
    source_name: string;
    name: string;
    description: string;
    destructive: Flag;
    idempotent: Flag;
    /** JSON, as are `output_schema`, `binding` and `pending`. */
    input_schema: string;
    output_schema: string | null;
    binding: string;
    approved_at: number | null;
    pending: string | null;
    gone_at: number | null;
    /** The `approved_at` that an admin has marked as reading. */
    reads_approved_at: number | null;
  };
  row_discoveries: {
    row_id: string;
    tried_at: number;
    discovered_at: number | null;
    from_document: Generated<Flag>;
    failure: string | null;
    /** JSON. */
    left_out: Generated<string>;
  };
  row_connections: {
    row_id: string;
    id: string;
    tokens_id: string;
    sealed: Uint8Array;
    issuer: string;
    address: string;
    scope: string;
    connected_at: number;
    expires_at: number | null;
    renew_at: number | null;
    can_renew: Flag;
    refresh_id: string | null;
    refresh_until: number | null;
    lost_reason: string | null;
    lost_at: number | null;
  };
  row_connects: {
    state_hash: Uint8Array;
    row_id: string;
    session_id: string;
    sealed: Uint8Array;
    expires_at: number;
  };
  row_activity: {
    row_id: string;
    stamp: number;
    /** JSON. */
    counts: string;
    calls: number;
    errors: number;
    p95_ms: number | null;
    recent_calls: number;
    recent_errors: number;
    rolls_at: number | null;
    last_call_at: number | null;
    valid_from: number;
    worked_at: number | null;
    outcome: RowOutcome | null;
    outcome_at: number | null;
    outcome_since: number | null;
    outcome_run: string | null;
    outcome_is_check: Flag;
    checked_at: number | null;
  };
  row_activity_until: { id: number; ended_before: number; stamp: number };
};

/** The columns of those that are read whole. */
export const rowColumns = {
  connector_rows: [
    "id",
    "connector_key",
    "label",
    "description",
    "disabled",
    "version",
    "created_at",
    "updated_at",
    "slug",
    "operations_id",
    "connection_id",
    "owner",
    "tests",
    "access",
  ],
  row_values: ["row_id", "field_key", "value", "sealed"],
  operation_states: ["row_id", "operation_key", "enabled"],
  row_operations: [
    "row_id",
    "operation_key",
    "position",
    "source_name",
    "name",
    "description",
    "destructive",
    "idempotent",
    "input_schema",
    "output_schema",
    "binding",
    "approved_at",
    "pending",
    "gone_at",
    "reads_approved_at",
  ],
  row_discoveries: ["row_id", "tried_at", "discovered_at", "from_document", "failure", "left_out"],
  row_connections: [
    "row_id",
    "id",
    "tokens_id",
    "sealed",
    "issuer",
    "address",
    "scope",
    "connected_at",
    "expires_at",
    "renew_at",
    "can_renew",
    "refresh_id",
    "refresh_until",
    "lost_reason",
    "lost_at",
  ],
  row_connects: ["state_hash", "row_id", "session_id", "sealed", "expires_at"],
  row_activity: [
    "row_id",
    "stamp",
    "counts",
    "calls",
    "errors",
    "p95_ms",
    "recent_calls",
    "recent_errors",
    "rolls_at",
    "last_call_at",
    "valid_from",
    "worked_at",
    "outcome",
    "outcome_at",
    "outcome_since",
    "outcome_run",
    "outcome_is_check",
    "checked_at",
  ],
} as const satisfies { [Table in keyof RowTables]?: ReadonlyArray<keyof RowTables[Table]> };

/** How the last call or check of a row ended. `failed`: its outside system answered. */
export type RowOutcome = "worked" | "unreachable" | "refused" | "failed";
