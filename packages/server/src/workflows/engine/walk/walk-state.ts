import type { Json } from "@hub/connector";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { Caller } from "../../../caller.ts";
import type { HubError } from "../../../errors.ts";
import type { FairQueue } from "../../../lib/queues/fair-queue.ts";
import type { Timers } from "../../../lib/time/timers.ts";
import type { AskedCall } from "../../../store/pending/asked-calls.ts";
import type {
  ApprovalMark,
  ApprovalRecord,
} from "../../../store/workflow-runs/workflow-approval-records.ts";
import type {
  AcceptWrite,
  ClaimedRun,
  QueuePolicy,
  StepRecord,
} from "../../../store/workflow-runs/workflow-run-records.ts";
import type { ExpectedNode } from "../../approvals/what-will-run.ts";
import type { SharedInputs } from "../../code/code-inputs.ts";
import type { Template } from "../../templates/parse/template-nodes.ts";
import type { RunContext } from "../accept/run-context.ts";
import type { ChildEnd, ChildRequest } from "../child-runs/child-run.ts";
import type { WaitForDatabase } from "../claim/wait-for-database.ts";
import type { StepCommits } from "../commit/step-commits.ts";
import type { RunPermit } from "../limits/run-capacity.ts";
import type { EventLoopShares } from "../limits/share-event-loop.ts";
import type { Plan } from "../plan.ts";
import type { UsedRow } from "../secrets/run-mask.ts";
import type { StepSealer } from "../secrets/seal-steps.ts";
import type { RunData } from "../step/create-render.ts";
import type { NodeTypes } from "../step/open-step.ts";
import type { AskedSteps } from "./asked-steps.ts";
import type { RunFailure } from "./run-failure.ts";
import type { RunProgress } from "./run-progress.ts";

/** A run with everything that its steps need. */
export type WalkStart = {
  run: ClaimedRun;
  plan: Plan;
  /** The committed steps, in their order. */
  steps: readonly StepRecord[];
  /** `Node` is filled as the run goes on. */
  data: RunData & { Node: Record<string, Json> };
  sealer: StepSealer;
  /** Whether a step may read so much of the event that the step must yield to the event loop after it. */
  hasLargeEvent: boolean;
  queue: QueuePolicy;
  context: RunContext;
  /** Why the run may not go on. Null if it may. */
  refusal: HubError | null;
};

export type WalkDeps = {
  nodeTypes: NodeTypes;
  commits: StepCommits;
  timers: Timers;
  now(): number;
  parse(source: string): Template;
  /** For reads that no function of `reads` or `runs` makes: those wait themselves. */
  waitForDatabase: WaitForDatabase;
  enterCall: FairQueue["enter"];
  computeSlices: EventLoopShares;
  /** Counts what the run holds in memory. False if its owner's runs hold too much together. */
  addOutput: RunPermit["addOutput"];
  reads: WalkReads;
  runs: OtherRuns;
  logFailure(err: unknown, nodeId: string | null): void;
};

/** What a run reads while it goes on, as it is at that time. */
export type WalkReads = {
  /** The row of an operation with its secrets. Null if there is none now. */
  findUsedRow(toolId: string): Promise<UsedRow | null>;
  /** The owner as of this moment. Throws if the run may not go on. */
  findOwner(): Promise<Caller>;
  /** The approvals of this run, as they are now. Those whose time is over expire. */
  readApprovals(): Promise<ApprovalMark[]>;
  /** The calls of this run about which people were asked, as they are now. */
  readAskedCalls(): Promise<AskedCall[]>;
  /** Ends a question. */
  endAskedCall(id: string, state: "expired" | "ended"): Promise<void>;
  /** The committed items of a node. */
  readItems(nodeId: string): Promise<Map<number, StepRecord>>;
  /** What an approved node was shown to lead to, in this run or one that it goes on from. */
  findGivenApproval(nodeId: string): Promise<Pick<ApprovalRecord, "bodyId" | "expected"> | null>;
  /** A step of an earlier run, whose output may stand in for one of a dry run. */
  findEarlierStep(runId: string, nodeId: string, item: number): Promise<StepRecord | null>;
};

/** The runs that a run starts, waits for or frees capacity for. */
export type OtherRuns = {
  /** The run that the output of a node schedules, or a warning. */
  findScheduled(output: Json): { run: AcceptWrite } | { warning: string } | null;
  /** The run of another workflow. Throws if the owner of this run may not start it. */
  prepareChild(child: ChildRequest): Promise<AcceptWrite>;
  /** How another run ended, or null while it has not. */
  findChildEnd(runId: string): Promise<ChildEnd | null>;
  /** Resolves when the other run has ended, or the signal aborts. */
  waitForRun(runId: string, signal: AbortSignal): Promise<void>;
  cancelRun(runId: string, reason: string): Promise<void>;
  /** The runs of error triggers that follow this failure. */
  findErrorRuns(failure: RunFailure): Promise<AcceptWrite[]>;
  /** The process that takes the next run of the workflow, or null if it has no capacity. */
  findNextOwner(): string | null;
};

/** A step that waits for a time, for a person or for another run. */
export type WaitingStep = { node: WorkflowNode; step: StepRecord };

/** A node that went on along `approved`. */
export type Gate = {
  /** The nodes that follow it. */
  following: ReadonlySet<string>;
  /** What each of them is compared with; null if nothing was approved. Read when the first one runs. */
  expected: Promise<Record<string, ExpectedNode> | null> | null;
};

/** Why a run ends before its last node. */
export type Ending = { state: "failed" | "cancelled"; failure: RunFailure };

/** What a process knows of a run that it works on. */
export type WalkState = {
  progress: RunProgress;
  /** Nodes that need not start: they run, wait or have ended. */
  started: Set<string>;
  asleep: Map<string, WaitingStep & { wakeAt: number }>;
  children: Map<string, WaitingStep & { childRunId: string }>;
  /** Approvals without a decision. */
  approvals: Map<string, WaitingStep & { wakeAt: number }>;
  /** Nodes whose call people are asked about, or that wait to ask. */
  calls: Map<string, WaitingStep>;
  /** Items of `for_each` that wait so, by node. */
  itemCalls: Map<string, Map<number, StepRecord>>;
  /** Nodes whose items are gone over now: twice at once would run an item twice. */
  atItems: Set<string>;
  /** What is known of the calls of this run about which people were asked. */
  asked: AskedSteps;
  /** The nodes that went on along `approved`, with what follows each of them. */
  gates: Map<string, Gate>;
  /** Committed items of `for_each`, by node. */
  items: Map<string, Map<number, StepRecord>>;
  /** What the scripts of the items of a node share, while the node runs. */
  scriptInputs: Map<string, SharedInputs>;
  /** The next position of a step. */
  position: number;
  /** Nodes in flight. */
  active: number;
  lastNode: string | null;
  /** Characters of all outputs, which the run holds in memory. */
  outputChars: number;
  ending: Ending | null;
  /** A step that may have had effects. A person must decide whether it runs again. */
  unsure: { node_id: string; item: number; message: string } | null;
  /** Nodes of a dry run whose outputs are unknown. What follows from them does not run. */
  unknown: Set<string>;
  isHandingOver: boolean;
  /** Set when the run has exited this process. */
  over: { next: ClaimedRun | null } | null;
};

/** A run that this process works on. The functions of this folder take it as their first argument. */
export type WalkContext = {
  deps: WalkDeps;
  start: WalkStart;
  state: WalkState;
  /** Aborts when the run ends early. */
  early: AbortSignal;
  /** When this process began to work on it, in epoch ms. */
  claimedAt: number;
};

/** Whether no further node may start. */
export function isStopping({ ending, unsure, isHandingOver }: WalkState): boolean {
  return ending !== null || unsure !== null || isHandingOver;
}

/** Whether a step waits for a time, a person or another run. */
export function isWaiting(state: WalkState): boolean {
  const { asleep, children } = state;
  return asleep.size > 0 || children.size > 0 || waitsForPeople(state);
}

/** Whether a step waits for the decision of a person. */
export function waitsForPeople({ approvals, calls, itemCalls }: WalkState): boolean {
  return approvals.size > 0 || calls.size > 0 || itemCalls.size > 0;
}

/** All steps that wait. */
/** The steps that wait. */
export type Waiting = Pick<WalkState, "asleep" | "children" | "approvals" | "calls" | "itemCalls">;

export function listWaiting({ asleep, children, approvals, calls, itemCalls }: Waiting) {
  const nodes = [
    ...asleep.values(),
    ...children.values(),
    ...approvals.values(),
    ...calls.values(),
  ];
  const items = [...itemCalls.values()].flatMap((steps) => [...steps.values()]);
  return [...nodes.map(({ step }) => step), ...items];
}

/** Whether nothing is left to start or to wait for. */
export function isAllDone(state: WalkState): boolean {
  return !isStopping(state) && !state.progress.hasReady() && !isWaiting(state);
}

export function recordUnsure(
  state: WalkState,
  { nodeId, item }: Pick<StepRecord, "nodeId" | "item">,
  message: string,
): void {
  state.unsure ??= { node_id: nodeId, item, message };
}

export function recordWaiting(state: WalkState, node: WorkflowNode, step: StepRecord): void {
  const { asleep, children, approvals, calls } = state;
  const { childRunId } = step;
  if (childRunId !== null) children.set(node.id, { node, step, childRunId });
  else if (node.type === "approval") {
    approvals.set(node.id, { node, step, wakeAt: step.wakeAt ?? 0 });
  } else if (node.type === "wait") asleep.set(node.id, { node, step, wakeAt: step.wakeAt ?? 0 });
  else calls.set(node.id, { node, step });
}
