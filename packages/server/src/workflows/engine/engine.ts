import type { SpaceGuard } from "../../lib/files/space-guard.ts";
import type { WorkflowRunRecord } from "../../store/workflow-runs/workflow-run-columns.ts";
import type {
  Acceptance,
  Cancellation,
  ClaimedRun,
  StepRecord,
} from "../../store/workflow-runs/workflow-run-records.ts";
import type { WorkflowWriter } from "../../store/workflow-runs/workflow-writer.ts";
import type { DueMark } from "../../store/workflow-writes/run-transaction.ts";
import type { RunQueue } from "../queue/run-queue.ts";
import type { KnownWorkflow } from "../workflow-directory.ts";
import type { RunRequest } from "./accept/prepare-run.ts";
import type { ActiveRunsDeps } from "./claim/active-runs.ts";
import type { RunWatch } from "./commit/run-watch.ts";
import type { Plans } from "./plan.ts";
import type { RunFailure } from "./walk/run-failure.ts";

/** Runs workflows. */
export type Engine = {
  plans: Plans;
  watch: RunWatch;
  /** Stores a run and starts it if there is capacity. Resolves when it is on disk, with the record of it. */
  accept(request: RunRequest): Promise<{ runId: string; acceptance: Acceptance }>;
  /** Throws `rate_limited` if `accept` would refuse any run of this workflow for what its runs have stored. */
  requireStorage(workflow: Pick<KnownWorkflow, "id" | "ownerId">): void;
  cancel(runId: string, reason: string): Promise<Cancellation>;
  /** Lets a run go on that waits for a person. False if it does not wait any more. */
  decide(decided: Decided): Promise<boolean>;
  /** Wakes this process and others for a run that was made due. */
  wake(mark: DueMark): void;
  /** Takes up runs that are due, now and from now on. */
  start(): void;
  /** Starts nothing more, waits for what is in flight, and leaves the rest to other processes. */
  stop(): Promise<void>;
  countActive(): number;
};

/** What a person has decided about steps of a waiting run. */
export type Decided = {
  run: Pick<WorkflowRunRecord, "id" | "workflowId" | "leaseNumber">;
  workflow: KnownWorkflow;
  steps: readonly StepRecord[];
  again: readonly Pick<StepRecord, "nodeId" | "item">[];
};

export type EngineDeps = Omit<ActiveRunsDeps, "writer"> & {
  writer: WorkflowWriter;
  readBody(bodyId: string): Promise<string | null>;
  /** The runs of error triggers that follow a failed run. */
  findErrorRuns(run: ClaimedRun, failure: RunFailure): Promise<RunRequest[]>;
  createRunId(): string;
  instanceId: string;
  queue: RunQueue;
  space: SpaceGuard;
  /** How many runs this process works on at the same time. */
  activeMax?: number;
  /** How long a stop waits for steps in flight. */
  drainMs?: number;
};
