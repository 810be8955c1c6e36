import type { NewApproval } from "./workflow-approval-records.ts";
import type { NewWorkflowRun, StoredRun, WorkflowRunMode } from "./workflow-run-columns.ts";

/** `skipped`: its node is switched off, and has passed its input on. */
export type StepState =
  | "running"
  | "succeeded"
  | "failed"
  | "waiting"
  | "cancelled"
  | "unknown"
  | "skipped";

/** The right to work on a run. Writes with an older number are refused. */
export type Lease = { instanceId: string; number: number };

/** A run as a process works on it, without its raw body. */
export type ClaimedRun = Omit<NewWorkflowRun, "raw"> &
  Pick<StoredRun, "activeMs" | "eventBytes" | "cancelRequestedAt"> & {
    lease: Lease;
    hasAnswer: boolean;
  };

/** One node of a run, or one item of its `for_each`. Texts are JSON, sealed and cut to size. */
export type StepRecord = {
  nodeId: string;
  /** -1 for the node itself. */
  item: number;
  /** In the order in which the steps of the run were committed. */
  position: number;
  state: StepState;
  tries: number;
  startedAt: number;
  endedAt: number | null;
  wakeAt: number | null;
  caseName: string | null;
  callRunId: string | null;
  childRunId: string | null;
  error: string | null;
  warnings: string | null;
  input: string | null;
  output: string | null;
  /** A list of `StepFlag`, or null for none. */
  flags: string | null;
};

/**
 * `would_call`: a dry run has only recorded it. `pinned`: its output was given or is of an earlier run.
 * `taken_over`: an earlier run made it. `decided`: a person said how it ended. `unsure`: it failed, and may
 * have had effects. `asked`: people were asked about its call.
 */
export type StepFlag = "would_call" | "pinned" | "taken_over" | "decided" | "unsure" | "asked";

/** Steps of an earlier run that a new one begins with. */
export type TakeOver = {
  runId: string;
  /** Whether the new run resumes the earlier one, which only one run can. */
  isResume: boolean;
  /** Nodes whose steps are taken over as they are. */
  nodeIds: readonly string[];
  /** Nodes of which only the items that succeeded are taken over. */
  partNodeIds: readonly string[];
  flag: "taken_over" | "pinned";
};

/** How many runs of a workflow may run and wait. */
export type QueuePolicy = {
  policy: "parallel" | "queue" | "drop";
  runsAtOnce: number;
  /** Whether a waiting run frees its slot for another. */
  freesPlace: boolean;
  waitingMax: number;
  waitingBytesMax: number;
  /** Runs that wait for their time. */
  scheduledMax: number;
};

/** A request that its signature makes known. */
export type SignedRequest = {
  /** Its signature. */
  id: string;
  /** When its signature is no longer accepted, in epoch ms. */
  validUntil: number;
};

/** A request to store a run and, if there is capacity, to start it. */
export type AcceptWrite = {
  run: NewWorkflowRun;
  queue: QueuePolicy;
  /** A second run with the same delivery is not stored. */
  deliveryId: string | null;
  /** Nor is one with the same signed request, whatever its delivery and whatever became of the first run. */
  signedRequest?: SignedRequest | null | undefined;
  /** The process that starts the run at once if there is capacity; null if it has none itself. */
  claimBy: string | null;
  takeOver?: TakeOver | undefined;
  /** Steps that the run begins with, such as pinned ones. They replace those that are taken over. */
  steps?: readonly StepRecord[] | undefined;
};

export type Acceptance =
  | { kind: "started"; lease: Lease }
  | { kind: "queued" }
  | { kind: "scheduled" }
  /** `runId` is the record of it, which may be that of an earlier refused run. */
  | { kind: "dropped"; reason: "busy" | "queue_full" | "too_many_scheduled"; runId: string }
  /** The delivery has a run already. */
  | { kind: "repeated"; runId: string }
  /** Nothing is stored: the run that this one resumes was resumed before, or has not ended. */
  | { kind: "refused" };

/** What follows in a run after steps have been committed. */
export type RunTransition =
  | { kind: "go_on" }
  /** The run waits for a time, or for `dueAt: null` for a person or another run. */
  | {
      kind: "park";
      dueAt: number | null;
      waitingFor: string;
      activeMs: number;
      /** Null if no other run may take its slot. */
      queue: QueuePolicy | null;
      /** As at the end of a run. */
      claimBy: string | null;
    }
  | {
      kind: "end";
      state: "succeeded" | "failed" | "cancelled" | "unknown";
      error: string | null;
      lastNode: string | null;
      waiterRunId: string | null;
      activeMs: number;
      queue: QueuePolicy;
      /** The process that takes the next run of the workflow that waits for capacity, or null. */
      claimBy: string | null;
    };

/** Steps of a run that are stored together, with what they start and what follows. */
export type CommitWrite = {
  runId: string;
  workflowId: string;
  lease: Lease;
  at: number;
  steps: readonly StepRecord[];
  /** The answer of a webhook_respond node. Only the first of a run is kept. */
  answer: string | null;
  /** Questions that these steps ask. */
  approvals?: readonly NewApproval[];
  /** Runs that these steps start: of schedule_at, error triggers, workflow nodes. */
  starts: readonly AcceptWrite[];
  transition: RunTransition;
  /** Whether it was tried before. It may have been carried out although its answer was lost. */
  isRepeated?: boolean;
  /** The default is `live`. */
  mode?: WorkflowRunMode;
};

/** `lost` if another process has taken over the run. Then nothing was stored. */
export type Commitment =
  | { lost: true }
  | { lost: false; acceptances: Acceptance[]; next: ClaimedRun | null };

/** Asks for a run that is due. */
export type ClaimWrite = {
  runId: string;
  workflowId: string;
  instanceId: string;
  at: number;
  queue: QueuePolicy;
};

export type CancelWrite = {
  runId: string;
  workflowId: string;
  at: number;
  reason: string;
  queue: QueuePolicy;
};

/** How steps have ended of which a run did not know. The run goes on with them. */
export type DecideWrite = {
  runId: string;
  workflowId: string;
  at: number;
  /** The decision was made about the run as it was after this lease. */
  leaseNumber: number;
  steps: readonly StepRecord[];
  /** These run again. */
  again: readonly Pick<StepRecord, "nodeId" | "item">[];
};

/** `asked` if a process works on the run, which ends it. */
export type Cancellation = "cancelled" | "asked" | "ended" | "absent";
