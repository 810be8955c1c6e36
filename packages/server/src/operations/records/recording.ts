import type { FieldSpec, Json } from "@hub/connector";
import type { Directory } from "../../connectors/rows/row-directory.ts";
import type { Budget, Budgets } from "../../lib/budgets/budgets.ts";
import type { DailyAmounts } from "../../lib/limits/daily-amounts.ts";
import type { Metrics } from "../../lib/metrics/metrics.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { Mask } from "../../secrets/masks/mask.ts";
import type { RowTokens } from "../../secrets/value-tokens/sealer.ts";
import type { RuleUse } from "../../store/rules/rule-uses.ts";
import type { NewRun, RunOutcome, RunRecorder } from "../../store/runs/run-recorder.ts";
import type { AnswerMemory, MemoryReservation } from "../answers/answer-memory.ts";
import type { Attachments } from "../masking/attachments.ts";
import type { CallMask } from "../masking/call-mask.ts";
import type { TextMask } from "../masking/parts-mask.ts";
import type { CallContext } from "../operations.ts";

/** The known facts of a call. The pipeline adds more. */
export type CallDescription = {
  connectorId: string | null;
  /** The key of the row's connector, once the row is found. */
  connectorKey?: string;
  rowLabel: string | null;
  operationKey: string;
  /** The account that it uses, masked: `own: LABEL` or `shared`. Absent if its row has no accounts of users. */
  account?: string;
  /** The meta-tool by which a client called an operation. */
  metaTool?: string;
  /** The request as the client sent it. It is sealed before it is stored. */
  request: Json;
  /** Whether a part of the client's request is missing, so that it cannot be replayed. */
  isRequestPartial?: boolean;
  /** The inputs of the operation, once it is found. */
  inputFields?: readonly FieldSpec[];
};

/**
 * The audit row of a call. Its steps: `describe` as the call is understood, `require` what must be granted,
 * `begin`, then `close` or `countOnly`. `release` follows at any end.
 */
export type Recording = {
  runId: string;
  /** The rows at the start of the call. Its key ring is equally recent. */
  directory: Directory;
  /** All secrets of this call. Everything that leaves the call passes through this mask. */
  mask: Mask;
  /**
   * Creates a mask that also finds parts of secrets, such as the host of an address. It is for the
   * hub's own messages about a request that failed.
   */
  createPartsMask(): TextMask;
  /** The same mask with access to its plaintexts. */
  callMask: CallMask;
  /** What is known now. `describe` replaces it. */
  readonly known: Readonly<CallDescription>;
  /**
   * Whether the record and the hub's own errors have no text of the caller: see `leave-texts-out.ts`.
   */
  leavesTextsOut(): boolean;
  /** Whether the connector may have been called. */
  hasBegun(): boolean;
  /** The memory of this call for large answers. */
  memory: MemoryReservation;
  /** What this call may cost its user. */
  budget(): Budget;
  /** Frees what the call holds. */
  release(): void;
  /** The content blocks that go to the client beside the result. */
  attachments: Attachments;
  describe(part: Partial<CallDescription>): void;
  recordHttpStatus(status: number): void;
  /**
   * `begin` also waits for this permission, and rejects if it is refused. Both take place at the same
   * time, because each may be a round trip.
   */
  require(permission: Promise<void>): void;
  /** `begin` also uses this claim, in the transaction that stores the row. */
  useClaim(claim: RunClaim): void;
  /** `begin` also counts a free call of a rule, with the row. */
  useFree(use: RuleUse): void;
  /** Stores the row as `running`. The operation must not start before this resolves. */
  begin(): Promise<void>;
  /** Counts the outcome in the metrics, and stores nothing. */
  countOnly(outcome: CountedOutcome): void;
  /** Stores the outcome. The reply must not leave before this resolves. */
  close(outcome: CountedOutcome): Promise<void>;
};

/** The use of an approval, by one call. */
export type RunClaim = {
  /** The id of the pending call. */
  callId: string;
  /** Whose call it is. */
  userId: string;
  /** The record that it has begun; null before. */
  runId: string | null;
  /** Stores the row of the call as `running` and uses the approval, both or none. Throws if another call has used it. */
  begin(run: NewRun): Promise<void>;
};

export type CountedOutcome = Pick<
  RunOutcome,
  "status" | "errorCode" | "errorMsg" | "response" | "isUnreached"
>;

export type RecordingDeps = {
  runs: Pick<RunRecorder, "begin" | "finish" | "insertFinished">;
  ring: RingHolder;
  isMaskingEnabled: boolean;
  rowTokens: RowTokens;
  instanceId: string;
  now: () => number;
  createRunId: () => string;
  answerMemory: AnswerMemory;
  budgets: Budgets;
  /** What the records of a user's calls store: `HUB_AUDIT_USER_BYTES_PER_DAY`. */
  recordedBytes: DailyAmounts;
  metrics: Pick<Metrics, "countCall">;
};

/** A check of a call is never stored, so it has no signal. */
export type RecordedContext = Omit<CallContext, "signal"> & Partial<Pick<CallContext, "signal">>;
