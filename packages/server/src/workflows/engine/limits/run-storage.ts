import { HubError } from "../../../errors.ts";
import { createDailyAmounts } from "../../../lib/limits/daily-amounts.ts";
import type {
  Acceptance,
  AcceptWrite,
  StepRecord,
} from "../../../store/workflow-runs/workflow-run-records.ts";

/** Whose runs store something. */
type Storer = { workflowId: string; ownerId: string };

/** What the runs of a workflow, and of all workflows of an owner, store in a day. */
export type RunStorage = {
  /** Throws `rate_limited` with `retry_after_s` if they may not store so much more now. */
  require(of: Storer, bytes: number): void;
  /** Counts what is stored, also beyond the limit: what has begun must be able to end. */
  add(of: Storer, bytes: number): void;
};

/** So many times the bytes of one workflow are for all workflows of a user. */
const ownerFactor = 4;

/** `perDay` is `HUB_WORKFLOW_BYTES_PER_DAY`. Each process counts for itself. */
export function createRunStorage(deps: { now(): number; perDay: number }): RunStorage {
  const { now, perDay } = deps;
  const ofWorkflows = createDailyAmounts({ now, perDay });
  const ofOwners = createDailyAmounts({ now, perDay: ownerFactor * perDay });

  return {
    require({ workflowId, ownerId }, bytes) {
      const waitMs = ofWorkflows.findWaitMs(workflowId, bytes);
      if (waitMs > 0) throw refuse("The runs of this workflow", waitMs);
      const ownerWaitMs = ofOwners.findWaitMs(ownerId, bytes);
      if (ownerWaitMs > 0) throw refuse("The workflows of this workflow's owner", ownerWaitMs);
    },
    add({ workflowId, ownerId }, bytes) {
      ofWorkflows.add(workflowId, bytes);
      ofOwners.add(ownerId, bytes);
    },
  };
}

/** What a run and a step take without their texts, about. */
const bareRunBytes = 1024;
const bareStepBytes = 512;

/** The bytes of a new run, about. */
export function toRunBytes({ event, raw }: AcceptWrite["run"]): number {
  return bareRunBytes + Buffer.byteLength(event) + (raw?.byteLength ?? 0);
}

/**
 * What is stored of it, with the steps that it takes over: of a run that was dropped, that it was, unless another record
 * counts it.
 */
export function toStoredBytes(
  run: AcceptWrite["run"],
  acceptance: Acceptance,
  takenOver = 0,
): number {
  const { kind } = acceptance;
  if (kind === "repeated" || kind === "refused") return 0;
  if (kind === "dropped") return acceptance.runId === run.id ? bareRunBytes : 0;
  return toRunBytes(run) + takenOver;
}

export function toStepBytes(steps: readonly StepRecord[]): number {
  return steps.reduce(
    (sum, { input, output }) => sum + bareStepBytes + toBytes(input) + toBytes(output),
    0,
  );
}

function toBytes(text: string | null): number {
  return text === null ? 0 : Buffer.byteLength(text);
}

function refuse(who: string, waitMs: number): HubError {
  const waitS = Math.ceil(waitMs / 1000);
  return new HubError(
    "rate_limited",
    `${who} have stored as much as they may in a day. Try again in ${waitS} s, or ask an admin of the hub to raise HUB_WORKFLOW_BYTES_PER_DAY.`,
    { detail: { retry_after_s: waitS } },
  );
}
