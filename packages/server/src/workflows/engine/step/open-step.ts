import type { Json } from "@hub/connector";
import type { NodeOf, WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { Caller } from "../../../caller.ts";
import type { AskedCall } from "../../../store/pending/asked-calls.ts";
import type { NewApproval } from "../../../store/workflow-runs/workflow-approval-records.ts";
import type { ClaimedRun } from "../../../store/workflow-runs/workflow-run-records.ts";
import type { Lookahead } from "../../approvals/what-will-run.ts";
import type { CodeInputs } from "../../code/code-inputs.ts";
import type { StepEffects } from "./node-effects.ts";

/** What a node sees of its run while its fields are rendered. */
export type StepContext = {
  /** Renders the texts of a value at any depth. A text that is one expression keeps its type. */
  render(value: Json): Json;
  /** The owner of the run, as of this moment. Throws if the owner may not run workflows now. */
  findOwner(): Promise<Caller>;
  /** Masks the secrets of an operation's row in this step and all later ones. */
  useRow(toolId: string): Promise<void>;
  /** Replaces the secrets that the run has met by their tokens, in what people outside will read. */
  seal(value: Json): Promise<Json>;
  /** Cuts a text before it is sealed, so that no secret is split. */
  cutText(text: string, bytesMax: number): string;
  /** What a script can read: the event, the outputs of the nodes before this one, and the item. */
  readInputs(): CodeInputs;
  run: StepRun;
  /** For a node that says what follows it. */
  lookahead: Lookahead;
  nodeId: string;
  /** -1, or the index of the item of `for_each`. */
  item: number;
  /** The call of this step about which people were asked, if it is made again. */
  asked: AskedCall | null;
  /** Ends the question about a call of this step that has failed meanwhile. */
  endAsked(callId: string): Promise<void>;
  now(): number;
};

type StepRun = Pick<
  ClaimedRun,
  | "id"
  | "workflowId"
  | "bodyId"
  | "version"
  | "ownerId"
  | "nesting"
  | "startedBy"
  | "starterIds"
  | "parentRunId"
  | "context"
>;

/** A step whose fields are rendered. */
export type OpenedStep = {
  /** The rendered fields, for the record. */
  input: Json;
  effects: StepEffects;
  /** Whether it changes or sends something, so that a dry run only records it. */
  changes?: boolean;
  /** Whether it calls an outside system, so that it counts under the limit of the owner's calls. */
  isCall?: true;
  run(tools: StepTools): Promise<StepOutcome>;
  /**
   * For steps with effects: checks what a call would check before it is sent, and throws its errors.
   * Returns what the step would return, as far as that is known.
   */
  dryRun?(): Promise<DryRunCheck>;
};

export type DryRunCheck = {
  output?: Json | undefined;
  /** Why a live run would wait here for a person. Null if it would not. */
  asks?: string | null;
};

export type StepTools = {
  /** Aborts when the run is cancelled or out of time, or the node is. */
  signal: AbortSignal;
  /** The same for each try of this step, so that outside systems can recognize a repetition. */
  idempotencyKey: string;
  /** 1 for the first try. What the hub's own limits put off is no other try. */
  attempt: number;
  /** The audit run of the call that the step makes. */
  recordCall(runId: string): void;
  /** What people should know of this try. */
  recordWarnings(lines: readonly string[]): void;
};

export type StepOutcome =
  /** With `isAnswer`, the output is the answer to the webhook that started the run. */
  | { kind: "done"; output: Json; caseName?: string; isAnswer?: boolean }
  /** The step ends at this time, in epoch ms. */
  | { kind: "sleep"; until: number; output: Json }
  /** The step ends when the approval is decided or expires. */
  | { kind: "ask"; approval: NewApproval }
  /**
   * People are asked about the call `callId`, or for null too many calls wait already. The step goes on when they have
   * decided, and at this time, in epoch ms.
   */
  | { kind: "await_call"; callId: string | null; until: number }
  /** The step ends when the other run does. */
  | { kind: "start_run"; workflowId: string; payload: Json; waits: boolean }
  /** Of a dry run: it is unknown what the step would return. */
  | { kind: "unknown" }
  /** The run fails, whatever the node's `on_error` says. */
  | { kind: "fail_run"; message: string; severity: string | null };

/** Renders a node of one type. */
export type OpenStep<Type extends WorkflowNode["type"]> = (
  ctx: StepContext,
  node: NodeOf<Type>,
) => OpenedStep | Promise<OpenedStep>;

/** What carries out each type of node. */
export type NodeTypes = { [Type in WorkflowNode["type"]]: OpenStep<Type> };

export function openStep(
  types: NodeTypes,
  ctx: StepContext,
  node: WorkflowNode,
): OpenedStep | Promise<OpenedStep> {
  // Each type's function takes nodes of its own type, which the compiler does not follow.
  const open = types[node.type] as OpenStep<WorkflowNode["type"]>;
  return open(ctx, node);
}

/** A step that computes its outcome from its fields alone. */
export function computeStep(
  input: Json,
  outcome: () => StepOutcome | Promise<StepOutcome>,
): OpenedStep {
  return { input, effects: "none", run: async () => outcome() };
}
