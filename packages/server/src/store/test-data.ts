import type { NewRow } from "./rows/rows-table.ts";
import type { NewRun, RunOutcome } from "./runs/run-recorder.ts";
import type { NewToken } from "./users/tokens-table.ts";
import type { NewUser } from "./users/users-table.ts";
import { type NewWorkflowRun, withNewRunDefaults } from "./workflow-runs/workflow-run-columns.ts";
import type { QueuePolicy, StepRecord } from "./workflow-runs/workflow-run-records.ts";
import type { NewWorkflow } from "./workflows/workflow-changes.ts";

export function newUser(given: Partial<NewUser> = {}): NewUser {
  return {
    id: crypto.randomUUID(),
    email: "ann@example.com",
    name: "Ann",
    role: "user",
    status: "active",
    tags: [],
    createdAt: Date.now(),
    ...given,
  };
}

/** The hash is derived from `seed`: one token for each. */
export function newToken(userId: string, seed: number, given: Partial<NewToken> = {}): NewToken {
  const tokenHash = new Uint8Array(32).fill(seed);
  const values = { name: "laptop", scope: "mcp" as const, lastFour: "abcd", expiresAt: null };
  const made = { id: crypto.randomUUID(), createdAt: Date.now() };
  return { userId, tokenHash, ...made, ...values, ...given };
}

export function newRow(given: Partial<NewRow> = {}): NewRow {
  return {
    id: crypto.randomUUID(),
    connectorKey: "http",
    label: "Shop",
    description: "The shop's API",
    tags: [],
    values: [],
    createdAt: Date.now(),
    ...given,
  };
}

export function newWorkflow(ownerId: string, given: Partial<NewWorkflow> = {}): NewWorkflow {
  return {
    id: `report-${crypto.randomUUID().slice(0, 6)}`,
    name: "Report",
    description: "The daily report",
    ownerId,
    tags: [],
    runBy: "tags",
    body: { id: crypto.randomUUID(), text: '{"schema":1}' },
    savedBy: ownerId,
    createdAt: Date.now(),
    ...given,
  };
}

export function newRun(given: Partial<NewRun> = {}): NewRun {
  return {
    id: Bun.randomUUIDv7(),
    parentRunId: null,
    connectorId: "row-1",
    rowLabel: "Shop",
    operationKey: "get",
    userId: "user-1",
    tokenId: "token-1",
    source: "mcp",
    request: '{"path":"/"}',
    requestCut: false,
    ipAddress: "127.0.0.1",
    userAgent: "test",
    workflowRunId: null,
    startedBy: null,
    causeKind: "client",
    causeId: null,
    account: null,
    instanceId: "instance-1",
    startedAt: 1_000,
    ...given,
  };
}

export const outcome: RunOutcome = {
  status: "success",
  errorCode: null,
  errorMsg: null,
  response: '{"ok":true}',
  latencyMs: 5,
  httpStatus: 200,
  endedAt: 1_005,
};

export function newFinishedRun(given: Partial<NewRun & RunOutcome> = {}): NewRun & RunOutcome {
  return { ...newRun(), ...outcome, ...given };
}

export function newWorkflowRun(given: Partial<NewWorkflowRun> = {}): NewWorkflowRun {
  return {
    ...withNewRunDefaults({}),
    id: Bun.randomUUIDv7(),
    workflowId: "wf",
    bodyId: "body",
    version: 1,
    ownerId: "ann",
    triggerId: "start",
    triggerType: "manual",
    entry: "first",
    startedBy: "{}",
    starterIds: null,
    severity: "error",
    createdAt: 1_000,
    event: "{}",
    context: null,
    ...given,
  };
}

export function queueOf(given: Partial<QueuePolicy> = {}): QueuePolicy {
  const most = { waitingMax: 1000, waitingBytesMax: 1_000_000, scheduledMax: 1000 };
  return { policy: "parallel", runsAtOnce: 8, freesPlace: false, ...most, ...given };
}

export function newStep(given: Partial<StepRecord> = {}): StepRecord {
  return {
    nodeId: "first",
    item: -1,
    position: 0,
    state: "succeeded",
    tries: 1,
    startedAt: 1_000,
    endedAt: 1_001,
    wakeAt: null,
    caseName: null,
    callRunId: null,
    childRunId: null,
    error: null,
    warnings: null,
    input: null,
    output: null,
    flags: null,
    ...given,
  };
}
