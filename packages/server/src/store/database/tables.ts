import type { Generated, Kysely } from "kysely";
import type { ApprovalState as WorkflowApprovalState } from "../workflow-runs/workflow-approval-records.ts";
import type { WorkflowRunsTable } from "../workflow-runs/workflow-run-columns.ts";
import type { StepState } from "../workflow-runs/workflow-run-records.ts";

/** The tables of the database. Times are epoch ms, flags 0 or 1. */
export type Tables = {
  users: {
    id: string;
    /** Lower case. */
    email: string;
    name: string;
    role: UserRole;
    status: UserStatus;
    password_hash: string | null;
    must_change_password: Generated<Flag>;
    created_at: number;
    updated_at: number;
  };
  tags: { id: string; name: string; created_at: number };
  user_tags: { user_id: string; tag_id: string };
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
  channel_states: {
    row_id: string;
    holder: string | null;
    held_until: number | null;
    lease: Generated<number>;
    state: Generated<ChannelState>;
    reason: string | null;
    changed_at: Generated<number>;
    refused_version: number | null;
    /** JSON. */
    account: string | null;
    cursor: string | null;
    /** JSON. */
    recent: Generated<string>;
  };
  row_tags: { row_id: string; tag_id: string };
  /** Either `value` or `sealed` is set, never both. */
  row_values: {
    row_id: string;
    field_key: string;
    value: string | null;
    sealed: Uint8Array | null;
  };
  operation_states: { row_id: string; operation_key: string; enabled: Flag };
  type_states: { connector_key: string; disabled: Flag };
  plugin_states: { plugin_key: string; disabled: Flag };
  plugin_installs: {
    plugin_key: string;
    id: string;
    version: string;
    /** JSON. */
    source: string;
    installed_by: string;
    installed_at: number;
  };
  plugin_builds: {
    id: string;
    plugin_key: string;
    /** JSON. */
    platforms: string;
    manifest: string;
    archive_sha256: string;
    archive_bytes: number;
    chunks: number;
  };
  plugin_chunks: { build_id: string; position: number; bytes: Uint8Array; stored_at: number };
  plugin_problems: {
    instance_id: string;
    plugin_key: string;
    message: string;
    noted_at: number;
  };
  workflow_runs: WorkflowRunsTable;
  workflow_steps: {
    run_id: string;
    node_id: string;
    item: number;
    position: number;
    state: StepState;
    tries: number;
    started_at: number;
    ended_at: number | null;
    wake_at: number | null;
    case_name: string | null;
    call_run_id: string | null;
    child_run_id: string | null;
    /** JSON. */
    error: string | null;
    warnings: string | null;
    input: string | null;
    output: string | null;
    flags: string | null;
  };
  workflow_deliveries: {
    workflow_id: string;
    trigger_id: string;
    delivery_id: string;
    run_id: string;
    received_at: number;
  };
  webhook_requests: {
    workflow_id: string;
    key: string;
    at: number;
    first_at: number;
    requests: number;
    trigger_id: string | null;
    is_test: number;
    reason: string | null;
    method: string;
    path: string;
    delivery_id: string | null;
    is_repeated: number;
    signature: string;
    status: number;
    code: string | null;
    message: string | null;
    run_id: string | null;
    duration_ms: number;
    body_bytes: number | null;
  };
  personal_access_tokens: {
    id: string;
    user_id: string;
    name: string;
    token_hash: Uint8Array;
    last_four: string;
    created_at: number;
    last_used_at: number | null;
    expires_at: number | null;
    revoked_at: number | null;
    scope: TokenScope;
  };
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
  };
  connector_runs: {
    id: string;
    parent_run_id: string | null;
    connector_id: string | null;
    row_label: string | null;
    operation_key: string;
    user_id: string;
    token_id: string | null;
    source: RunSource;
    status: RunStatus;
    error_code: string | null;
    error_msg: string | null;
    request: string | null;
    response: string | null;
    request_cut: Flag;
    latency_ms: number | null;
    http_status: number | null;
    ip_address: string | null;
    user_agent: string | null;
    instance_id: string;
    started_at: number;
    ended_at: number | null;
    workflow_run_id: string | null;
    started_by: string | null;
    cause_kind: CauseKind | null;
    cause_id: string | null;
    unreached: Flag | null;
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
  row_beginnings: { beginning: string; row_id: string };
  row_activity_until: { id: number; ended_before: number; stamp: number };
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
  sessions: {
    id: string;
    user_id: string;
    token_hash: Uint8Array;
    created_at: number;
    last_seen_at: number;
    expires_at: number;
    ip_address: string | null;
    user_agent: string | null;
  };
  identities: {
    id: string;
    user_id: string;
    issuer: string;
    subject: string;
    email: string;
    created_at: number;
    last_used_at: number;
  };
  chat_accounts: {
    id: string;
    user_id: string;
    kind: string;
    /** Empty on platforms without workspaces. */
    team_id: string;
    account_id: string;
    account_name: string | null;
    team_name: string | null;
    created_at: number;
    row_id: string | null;
  };
  chat_links: {
    id: string;
    user_id: string;
    session_id: string;
    code_hash: Uint8Array;
    expires_at: number;
    row_id: string | null;
    kind: string | null;
    team_id: string | null;
    account_id: string | null;
    account_name: string | null;
    team_name: string | null;
    is_confirmed: Generated<Flag>;
  };
  chat_link_tries: { key: string; tries: number; expires_at: number };
  sign_in_counters: {
    key: string;
    account: string | null;
    failures: number;
    first_at: number;
    last_at: number;
    expires_at: number;
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
  run_hours: {
    hour: number;
    connector_id: string;
    status: RunStatus;
    runs: number;
    latency_ms: number;
  };
  run_bytes: { hour: number; bytes: number };
  user_run_bytes: { day: number; user_id: string; bytes: number };
  run_hours_until: { id: number; ended_before: number };
  embeddings: { model: string; text_hash: string; vector: Uint8Array; used_at: number };
  embedding_leases: { model: string; holder: string; expires_at: number };
  run_cancellations: { run_id: string; reason: string; requested_at: number };
  request_cancellations: {
    id: string;
    user_id: string;
    session_id: string;
    request_id: string;
    requested_at: number;
  };
  periodic_jobs: {
    name: string;
    due_at: number;
    holder: string | null;
    held_until: number | null;
  };
  workflows: {
    id: string;
    name: string;
    description: string;
    owner_id: string;
    pending_owner_id: string | null;
    enabled: Flag;
    run_by: WorkflowRunBy;
    version: number;
    draft_body_id: string;
    draft_revision: number;
    draft_saved_by: string;
    draft_saved_at: number;
    published_body_id: string | null;
    created_at: number;
    updated_at: number;
    deleted_at: number | null;
  };
  workflow_bodies: {
    id: string;
    workflow_id: string;
    /** JSON. */
    body: string;
    created_at: number;
    /** Of a body that a model saved: until then, its draft can be tried without a person. */
    trial_until: number | null;
  };
  workflow_body_editors: { body_id: string; user_id: string };
  workflow_approvals: {
    id: string;
    workflow_id: string;
    run_id: string;
    node_id: string;
    body_id: string;
    version: number | null;
    owner_id: string;
    state: WorkflowApprovalState;
    title: string;
    details: string;
    /** JSON. */
    approvers: string;
    is_self: Flag;
    started_by: string;
    /** JSON. */
    starter_ids: string;
    editor_ids: string;
    will_run: string;
    expected: string;
    hash: string;
    created_at: number;
    expires_at: number;
    decided_at: number | null;
    decided_by: string | null;
    decided_by_email: string | null;
    comment: string | null;
    chat_state: Generated<WorkflowApprovalState | "">;
  };
  approval_messages: {
    id: string;
    approval_id: string;
    user_id: string;
    kind: string;
    team_id: string;
    account_id: string;
    hash: string;
    row_id: string | null;
    channel_id: string | null;
    ts: string | null;
    shown: WorkflowApprovalState | null;
    attempts: Generated<number>;
    due_at: number | null;
    failure: string | null;
  };
  workflow_approvers: { approval_id: string; kind: "tag" | "user"; name: string; email: string };
  workflow_versions: {
    workflow_id: string;
    version: number;
    body_id: string;
    note: string;
    published_by: string;
    published_at: number;
  };
  workflow_tags: { workflow_id: string; tag_id: string };
  workflow_triggers: {
    workflow_id: string;
    trigger_id: string;
    type: string;
    entry: string;
    schedule: string | null;
    timezone: string | null;
    catch_up: string | null;
    settled_at: number;
    source_workflow: string | null;
    /** JSON. */
    severities: string | null;
    channel: string | null;
    event: string | null;
    /** JSON. */
    match_filters: string | null;
  };
  workflow_secrets: {
    workflow_id: string;
    name: string;
    sealed: Uint8Array;
    updated_at: number;
  };
};

/** The database, or a transaction of it. */
export type Db = Kysely<Tables>;

export type UserRole = "admin" | "user";
export type UserStatus = "pending" | "active" | "disabled";
/** The scope of a token: `mcp` is the MCP endpoint, `manage` the management API as well. */
export type TokenScope = "mcp" | "manage";
export type RunSource = "mcp" | "test" | "retry" | "workflow";
/** What made a call. Batches, scripts and pending calls are values that a newer server beside this one may write. */
export type CauseKind = "client" | "retry" | "workflow" | "batch" | "script" | "pending";
/** How the last call or check of a row ended. `failed`: its outside system answered. */
export type RowOutcome = "worked" | "unreachable" | "refused" | "failed";
export type RunStatus = "running" | "success" | "error" | "denied" | "cancelled";
/** Who may start a workflow by hand: those who share a tag with it, too, or only its owner. */
export type WorkflowRunBy = "tags" | "owner";
export type InstanceKind = "serve" | "stdio" | "cli";

/** The connection of a channel, as its holder last reported it. */
export type ChannelState = "connecting" | "connected" | "failed";

export type Flag = 0 | 1;

export function toFlag(value: boolean): Flag {
  return value ? 1 : 0;
}
