import type { WorkflowRunsTable } from "../../workflow-runs/workflow-run-columns.ts";
import type { StepState } from "../../workflow-runs/workflow-run-records.ts";
import type { Flag } from "./flag.ts";

/** The tables of workflows and their runs. */
export type WorkflowTables = {
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
  workflow_pins: {
    workflow_id: string;
    node_id: string;
    owner_id: string;
    /** JSON. */
    output: string;
    bytes: number;
    pinned_by: string;
    pinned_at: number;
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
};

/** The columns of those that are read whole. */
export const workflowColumns = {
  workflows: [
    "id",
    "name",
    "description",
    "owner_id",
    "pending_owner_id",
    "enabled",
    "run_by",
    "version",
    "draft_body_id",
    "draft_revision",
    "draft_saved_by",
    "draft_saved_at",
    "published_body_id",
    "created_at",
    "updated_at",
    "deleted_at",
  ],
  workflow_versions: ["workflow_id", "version", "body_id", "note", "published_by", "published_at"],
  webhook_requests: [
    "workflow_id",
    "key",
    "at",
    "first_at",
    "requests",
    "trigger_id",
    "is_test",
    "reason",
    "method",
    "path",
    "delivery_id",
    "is_repeated",
    "signature",
    "status",
    "code",
    "message",
    "run_id",
    "duration_ms",
    "body_bytes",
  ],
} as const satisfies {
  [Table in keyof WorkflowTables]?: ReadonlyArray<keyof WorkflowTables[Table]>;
};

/** Who may start a workflow by hand: those who share a tag with it, too, or only its owner. */
export type WorkflowRunBy = "tags" | "owner";
