import { type FieldSpec, type Json, toJsonText } from "@hub/connector";
import type { Directory } from "../connectors/row-directory.ts";
import type { Budget, Budgets } from "../lib/budgets/budgets.ts";
import type { DailyAmounts } from "../lib/daily-amounts.ts";
import type { Metrics } from "../lib/metrics.ts";
import type { FieldPaths } from "../lib/pick-fields.ts";
import { createMask, type Mask } from "../secrets/mask.ts";
import type { RingHolder } from "../secrets/ring-holder.ts";
import type { RowTokens } from "../secrets/sealer.ts";
import type { NewRun, RunOutcome, RunRecorder } from "../store/run-recorder.ts";
import type { AnswerMemory, MemoryReservation } from "./answers/answer-memory.ts";
import { type Attachments, createAttachments } from "./attachments.ts";
import { type CallMask, createCallMask } from "./call-mask.ts";
import { type CallContext, findWorkflowCause } from "./operations.ts";
import { createPartsMask, type TextMask } from "./parts-mask.ts";
import { finishPatiently, refuseUnsent, toEffectsWarning } from "./store-failures.ts";
import { leftOutRequest, toStoredRequest } from "./stored-request.ts";

/** The known facts of a call. The pipeline adds more. */
export type CallDescription = {
  connectorId: string | null;
  /** The key of the row's connector, once the row is found. */
  connectorKey?: string;
  rowLabel: string | null;
  operationKey: string;
  /** The request as the client sent it. It is sealed before it is stored. */
  request: Json;
  /** Whether a part of the client's request is missing, so that it cannot be replayed. */
  isRequestPartial?: boolean;
  /** The inputs of the operation, once it is found. */
  inputFields?: readonly FieldSpec[];
};

/** The audit row of a running call. */
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
  known: Readonly<CallDescription>;
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
  noteHttpStatus(status: number): void;
  /**
   * `begin` also waits for this permission, and rejects if it is refused. Both take place at the same
   * time, because each may be a round trip.
   */
  require(permission: Promise<void>): void;
  /** Stores the row as `running`. The operation must not start before this resolves. */
  begin(): Promise<void>;
  /** Counts the outcome in the metrics, and stores nothing. */
  countOnly(outcome: CountedOutcome): void;
  /** Stores the outcome. The reply must not leave before this resolves. */
  close(outcome: CountedOutcome): Promise<void>;
};

type CountedOutcome = Pick<RunOutcome, "status" | "errorCode" | "errorMsg" | "response">;

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
type RecordedContext = Omit<CallContext, "signal"> & Partial<Pick<CallContext, "signal">>;

/** Opens the record of one call. Nothing is stored before `begin` or `close`. */
export function openRecording(
  deps: RecordingDeps,
  ctx: RecordedContext,
  description: CallDescription,
  directory: Directory,
  fields?: FieldPaths,
): Recording {
  const startedAt = deps.now();
  const runId = deps.createRunId();
  let httpStatus: number | null = null;
  let hasBegun = false;
  let hasNewSecrets = false;
  let permissions: Promise<void>[] | null = null;
  // Opened on first use, since most calls are small.
  let budget: Budget | null = null;
  const { userId } = ctx.caller;
  const memory = deps.answerMemory.open(userId);
  const maskOptions = {
    ring: deps.ring.current(),
    userId,
    enabled: deps.isMaskingEnabled,
    rowTokens: deps.rowTokens,
  };
  const openBudget = () => {
    budget ??= deps.budgets.open(`user:${userId}`);
    return budget;
  };
  const callMask = createCallMask(createMask(maskOptions), {
    onAdd() {
      hasNewSecrets ||= hasBegun;
    },
    addSecretChars: (chars) => openBudget().addSecretChars(chars),
  });
  const { mask } = callMask;
  const { cause } = ctx;
  const workflow = findWorkflowCause(ctx);
  const { ip: ipAddress, source, userAgent: sentUserAgent } = ctx.origin;
  callMask.noteHubTokens([description.operationKey, description.request, sentUserAgent]);
  // Sealed now, while the mask has only the hub's tokens. A row's secret could equal an operation's
  // name.
  const known = { ...description, operationKey: mask.sealText(description.operationKey) };
  const userAgent = sentUserAgent === null ? null : mask.sealText(sentUserAgent);
  const leavesTextsOut = () => deps.isMaskingEnabled && callMask.hasWeakSecret();
  const toStored = () => (leavesTextsOut() ? leftOutRequest : toStoredRequest(known, callMask));
  /** A text of the record, unless the user's records have stored as much as they may. */
  const keep = (text: string): string | null => {
    const bytes = Buffer.byteLength(text);
    if (deps.recordedBytes.findWaitMs(userId, bytes) > 0) return null;
    deps.recordedBytes.add(userId, bytes);
    return text;
  };
  const toRequest = () => {
    const stored = toStored();
    return keep(stored.request) === null ? { request: usedUp, requestCut: true } : stored;
  };
  const toRow = (): NewRun => ({
    ...toRequest(),
    id: runId,
    parentRunId: cause?.kind === "retry" ? cause.id : null,
    connectorId: known.connectorId,
    rowLabel: known.rowLabel,
    operationKey: known.operationKey,
    userId,
    tokenId: ctx.caller.tokenId,
    source,
    ipAddress,
    userAgent,
    workflowRunId: workflow?.id ?? null,
    startedBy: workflow?.startedBy ?? null,
    causeKind: cause?.kind ?? "client",
    causeId: cause?.id ?? null,
    instanceId: deps.instanceId,
    startedAt,
  });

  const countOutcome = (outcome: CountedOutcome) => {
    const endedAt = deps.now();
    const latencyMs = Math.max(endedAt - startedAt, 0);
    const { connectorKey = null, operationKey } = known;
    const isMcp = source === "mcp";
    deps.metrics.countCall({ ...outcome, isMcp, operationKey, connectorKey, latencyMs });
    return { endedAt, latencyMs };
  };

  return {
    runId,
    directory,
    mask,
    callMask,
    known,
    leavesTextsOut,
    hasBegun: () => hasBegun,
    createPartsMask: () => createPartsMask(mask, known.connectorId, createMask(maskOptions)),
    memory,
    budget: openBudget,
    release() {
      memory.release();
      budget?.close();
    },
    attachments: createAttachments({ kinds: ctx.contentKinds, fields }),
    describe(part) {
      Object.assign(known, part);
      callMask.noteHubTokens(part.request);
    },
    noteHttpStatus: (status) => {
      httpStatus = status;
    },
    require(permission) {
      permissions ??= [];
      permissions.push(permission);
    },
    async begin() {
      const begun = deps.runs.begin(toRow()).catch(refuseUnsent);
      if (permissions === null) {
        await begun;
        hasBegun = true;
        return;
      }
      // The row must be stored or not before the outcome of a refusal follows it.
      const steps = await Promise.allSettled([begun, ...permissions]);
      hasBegun = steps[0].status === "fulfilled";
      for (const step of steps) if (step.status === "rejected") throw step.reason;
    },
    countOnly: (outcome) => void countOutcome(outcome),
    async close(outcome) {
      const { endedAt, latencyMs } = countOutcome(outcome);
      const response = outcome.response === null ? null : (keep(outcome.response) ?? usedUp);
      const full = { ...outcome, response, httpStatus, endedAt, latencyMs };
      if (!hasBegun) {
        return await deps.runs.insertFinished({ ...toRow(), ...full }).catch(refuseUnsent);
      }
      const resealed = hasNewSecrets ? { resealed: toRequest() } : {};
      const finish = () => deps.runs.finish(runId, { ...full, ...resealed });
      try {
        await (workflow === null ? finish() : finishPatiently(finish, ctx.signal));
      } catch (thrown) {
        throw toEffectsWarning(thrown);
      }
    },
  };
}

/** In place of requests and results of a user whose records take too much. */
const usedUp = toJsonText({
  _omitted:
    "The records of this user's calls have stored as much as they may in a day (HUB_AUDIT_USER_BYTES_PER_DAY).",
});
