/**
 * The columns of `workflow_runs`. Each is described here alone: the table, new runs, runs that a process works on and
 * records of runs derive from it. A new column needs a migration, a member, its name and, if a new run has it, its value
 * in a run that names none.
 */

/** The state of a run of a workflow. The last five are final. */
export type WorkflowRunState =
  | "queued"
  | "running"
  | "waiting"
  | "succeeded"
  | "failed"
  | "cancelled"
  | "dropped"
  /** A dry run that cannot know how it would end. */
  | "unknown";

/** `dry` sends nothing, and `node` runs one node alone. */
export type WorkflowRunMode = "live" | "dry" | "node";

/** A run before it is stored. Times are epoch ms; `event`, `startedBy` and `answer` are JSON texts. */
export type NewWorkflowRun = {
  /** A UUIDv7, so that newer runs sort later. */
  id: string;
  workflowId: string;
  bodyId: string;
  /** Null for a run of the draft. */
  version: number | null;
  /** The run acts as this user. */
  ownerId: string;
  triggerId: string;
  triggerType: string;
  /** The node where the run begins. */
  entry: string;
  startedBy: string;
  /** JSON: the ids of the users who started it, and the runs that led to it. Null for none. */
  starterIds: string | null;
  parentRunId: string | null;
  /** The run whose step waits for this one. */
  waiterRunId: string | null;
  /** How many error triggers, schedule_at outputs and workflow nodes led to this run. */
  errorDepth: number;
  chainDepth: number;
  nesting: number;
  severity: string;
  createdAt: number;
  /** When it starts at the earliest; null for at once. */
  scheduledAt: number | null;
  event: string;
  /** The body of a webhook as it was sent. */
  raw: Uint8Array | null;
  mode: WorkflowRunMode;
  /** The first of the runs that resume one another. Null for a run that resumes none. */
  originRunId: string | null;
  /** JSON: what the run is started with beside its event. */
  context: string | null;
};

/** What a run becomes while it runs. */
type RunProgressColumns = {
  state: WorkflowRunState;
  startedAt: number | null;
  endedAt: number | null;
  dueAt: number | null;
  /** The process that works on the run. */
  leaseInstance: string | null;
  leaseNumber: number;
  /** Time spent running before the last pause, in ms. */
  activeMs: number;
  cancelRequestedAt: number | null;
  cancelReason: string | null;
  /** JSON: {message, code, node_id}. */
  error: string | null;
  /** JSON. */
  waitingFor: string | null;
  lastNode: string | null;
  /** JSON. */
  answer: string | null;
  /** Of the event, the raw body and the context. */
  eventBytes: number;
  /** The run that resumes this one. */
  resumedBy: string | null;
  /** How many refused runs a dropped one stands for; null is one. */
  droppedRuns: number | null;
};

/** A whole row of `workflow_runs`. */
export type StoredRun = NewWorkflowRun & RunProgressColumns;

/** A stored run without the texts that it began with and what only its process needs. */
export type WorkflowRunRecord = Omit<StoredRun, UnreadMember>;

type UnreadMember = (typeof unreadMembers)[number];

const unreadMembers = [
  "event",
  "raw",
  "context",
  "answer",
  "leaseInstance",
  "activeMs",
  "eventBytes",
] as const satisfies readonly (keyof StoredRun)[];

/** The values of a new run that names none. */
const newRunDefaults = {
  parentRunId: null,
  waiterRunId: null,
  errorDepth: 0,
  chainDepth: 0,
  nesting: 0,
  scheduledAt: null,
  raw: null,
  mode: "live",
  originRunId: null,
} satisfies Partial<NewWorkflowRun>;

/** The members of a new run that have defaults. */
export type NewRunOptions = Pick<NewWorkflowRun, keyof typeof newRunDefaults>;

const newRunColumns = {
  id: "id",
  workflowId: "workflow_id",
  bodyId: "body_id",
  version: "version",
  ownerId: "owner_id",
  triggerId: "trigger_id",
  triggerType: "trigger_type",
  entry: "entry",
  startedBy: "started_by",
  starterIds: "starter_ids",
  parentRunId: "parent_run_id",
  waiterRunId: "waiter_run_id",
  errorDepth: "error_depth",
  chainDepth: "chain_depth",
  nesting: "nesting",
  severity: "severity",
  createdAt: "created_at",
  scheduledAt: "scheduled_at",
  event: "event",
  raw: "raw",
  mode: "mode",
  originRunId: "origin_run_id",
  context: "given",
} as const satisfies Record<keyof NewWorkflowRun, string>;

const runColumns = {
  ...newRunColumns,
  state: "state",
  startedAt: "started_at",
  endedAt: "ended_at",
  dueAt: "due_at",
  leaseInstance: "lease_instance",
  leaseNumber: "lease_number",
  activeMs: "active_ms",
  cancelRequestedAt: "cancel_requested_at",
  cancelReason: "cancel_reason",
  error: "error",
  waitingFor: "waiting_for",
  lastNode: "last_node",
  answer: "answer",
  eventBytes: "event_bytes",
  resumedBy: "resumed_by",
  droppedRuns: "dropped_runs",
} as const satisfies Record<keyof StoredRun, string>;

type RunColumns = typeof runColumns;

/** The table, with the names of its columns. */
export type WorkflowRunsTable = {
  [Member in keyof StoredRun as RunColumns[Member]]: StoredRun[Member];
};

export const newRunMembers = listMembers(newRunColumns);

const recordMembers = listMembers(runColumns).filter(
  (member): member is keyof WorkflowRunRecord => !isUnread(member),
);

type Selection<Member extends keyof StoredRun> = {
  [Each in Member]: `${RunColumns[Each]} as ${Each}`;
}[Member];

/** Selects these members of a run. */
export function selectRun<Member extends keyof StoredRun>(
  members: readonly Member[],
): Selection<Member>[] {
  // Safe: the literal is what the type says of the same two names.
  return members.map((member) => `${runColumns[member]} as ${member}` as Selection<Member>);
}

/** Selects the record of a run. */
export const runSelection = selectRun(recordMembers);

/** The name of a member's column, for SQL. */
export function toRunColumn(member: keyof StoredRun): string {
  return runColumns[member];
}

/** Completes the members of a new run that may be left out. */
export function withNewRunDefaults(options: Partial<NewRunOptions>): NewRunOptions {
  const members = listMembers(newRunDefaults).map(
    (member) => [member, options[member] ?? newRunDefaults[member]] as const,
  );
  // Safe: it has each member of the defaults, with a value of its own type.
  return Object.fromEntries(members) as NewRunOptions;
}

function isUnread(member: keyof StoredRun): member is UnreadMember {
  return unreadMembers.some((unread) => unread === member);
}

/** The names of the members of one of the constants above. */
function listMembers<Named extends object>(named: Named): Array<keyof Named> {
  // Safe: these objects have no members beside those of their types.
  return Object.keys(named) as Array<keyof Named>;
}
