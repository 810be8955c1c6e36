import { toJsonText } from "@hub/connector";
import type { Directory } from "../../connectors/rows/row-directory.ts";
import type { Budget } from "../../lib/budgets/budgets.ts";
import type { FieldPaths } from "../../lib/json/pick-fields.ts";
import { createMask, type Mask } from "../../secrets/masks/mask.ts";
import { noRowId } from "../../secrets/value-tokens/no-row-id.ts";
import type { RuleUse } from "../../store/rules/rule-uses.ts";
import type { NewRun, RunOutcome } from "../../store/runs/run-recorder.ts";
import type { MemoryReservation } from "../answers/answer-memory.ts";
import { type Attachments, createAttachments } from "../masking/attachments.ts";
import { type CallMask, createCallMask } from "../masking/call-mask.ts";
import { createPartsMask, type TextMask } from "../masking/parts-mask.ts";
import { findWorkflowCause } from "../operations.ts";
import type {
  CallDescription,
  CountedOutcome,
  RecordedContext,
  Recording,
  RecordingDeps,
  RunClaim,
} from "./recording.ts";
import { finishPatiently, refuseUnsent, toEffectsWarning } from "./store-failures.ts";
import { leftOutRequest, toStoredRequest } from "./stored-request.ts";

/** Opens the record of one call. Nothing is stored before `begin` or `close`. */
export function openRecording(
  deps: RecordingDeps,
  ctx: RecordedContext,
  description: CallDescription,
  directory: Directory,
  fields?: FieldPaths,
): Recording {
  return new CallRecording(deps, ctx, description, directory, fields);
}

class CallRecording implements Recording {
  readonly runId: string;
  readonly directory: Directory;
  readonly mask: Mask;
  readonly callMask: CallMask;
  readonly memory: MemoryReservation;
  readonly attachments: Attachments;
  readonly #deps: RecordingDeps;
  readonly #ctx: RecordedContext;
  readonly #startedAt: number;
  readonly #maskOptions: Parameters<typeof createMask>[0];
  readonly #userAgent: string | null;
  #known: Readonly<CallDescription>;
  #httpStatus: number | null = null;
  #hasBegun = false;
  /** Whether the stored request may contain a secret that is known only now. */
  #hasNewSecrets = false;
  #permissions: Promise<void>[] | null = null;
  #claim: RunClaim | null = null;
  #use: RuleUse | undefined;
  /** Opened on first use, since most calls are small. */
  #budget: Budget | null = null;

  constructor(
    deps: RecordingDeps,
    ctx: RecordedContext,
    description: CallDescription,
    directory: Directory,
    fields?: FieldPaths,
  ) {
    const { userId } = ctx.caller;
    const { isMaskingEnabled: enabled, rowTokens } = deps;
    this.#deps = deps;
    this.#ctx = ctx;
    this.directory = directory;
    this.#startedAt = deps.now();
    this.runId = deps.createRunId();
    this.memory = deps.answerMemory.open(userId);
    this.#maskOptions = { ring: deps.ring.current(), userId, enabled, rowTokens };
    this.callMask = createCallMask(createMask(this.#maskOptions), {
      onAdd: () => {
        this.#hasNewSecrets ||= this.#hasBegun;
      },
      addSecretChars: (chars) => this.budget().addSecretChars(chars),
    });
    this.mask = this.callMask.mask;
    const { userAgent } = ctx.origin;
    this.callMask.recordHubTokens([description.operationKey, description.request, userAgent]);
    // Sealed now, while the mask has only the hub's tokens. A row's secret could equal an operation's
    // name.
    this.#known = { ...description, operationKey: this.mask.sealText(description.operationKey) };
    this.#userAgent = userAgent === null ? null : this.mask.sealText(userAgent);
    const isOneOfMany = ctx.cause?.kind === "batch" || ctx.cause?.kind === "script";
    this.attachments = createAttachments({ kinds: ctx.contentKinds, fields, isOneOfMany });
  }

  get known(): Readonly<CallDescription> {
    return this.#known;
  }

  leavesTextsOut(): boolean {
    return this.#deps.isMaskingEnabled && this.callMask.hasWeakSecret();
  }

  hasBegun(): boolean {
    return this.#hasBegun;
  }

  createPartsMask(): TextMask {
    const { connectorId: id } = this.#known;
    const isManaged = id !== null && this.directory.find(id)?.isManaged === true;
    // As `maskRowSecrets` binds it.
    return createPartsMask(this.mask, isManaged ? noRowId : id, createMask(this.#maskOptions));
  }

  budget(): Budget {
    this.#budget ??= this.#deps.budgets.open(`user:${this.#ctx.caller.userId}`);
    return this.#budget;
  }

  release(): void {
    this.memory.release();
    this.#budget?.close();
  }

  describe(part: Partial<CallDescription>): void {
    this.#known = { ...this.#known, ...part };
    this.callMask.recordHubTokens(part.request);
  }

  recordHttpStatus(status: number): void {
    this.#httpStatus = status;
  }

  require(permission: Promise<void>): void {
    this.#permissions ??= [];
    this.#permissions.push(permission);
  }

  useClaim(claim: RunClaim): void {
    this.#claim = claim;
  }

  useFree(use: RuleUse): void {
    this.#use = use;
  }

  async begin(): Promise<void> {
    if (this.#claim !== null) return await this.#beginClaimed(this.#claim);
    const begun = this.#deps.runs.begin(this.#toRow(), this.#use);
    if (this.#permissions === null) {
      try {
        await begun;
      } catch (thrown) {
        refuseUnsent(thrown);
      }
      this.#setBegun();
      return;
    }
    // The row must be stored or not before the outcome of a refusal follows it.
    const steps = await Promise.allSettled([begun.catch(refuseUnsent), ...this.#permissions]);
    if (steps[0].status === "fulfilled") this.#setBegun();
    for (const step of steps) if (step.status === "rejected") throw step.reason;
  }

  /** An approval is not used up by a call that a limit refuses. */
  async #beginClaimed(claim: RunClaim): Promise<void> {
    if (this.#permissions !== null) await Promise.all(this.#permissions);
    await claim.begin(this.#toRow()).catch(refuseUnsent);
    this.#setBegun();
  }

  #setBegun(): void {
    this.#hasBegun = true;
    this.#ctx.onRecord?.(this.runId);
  }

  countOnly(outcome: CountedOutcome): void {
    this.#count(outcome);
  }

  close(outcome: CountedOutcome): Promise<void> {
    const { endedAt, latencyMs } = this.#count(outcome);
    const { status, errorCode, errorMsg, isUnreached } = outcome;
    const response = outcome.response === null ? null : (this.#keep(outcome.response) ?? usedUp);
    const httpStatus = this.#httpStatus;
    const told = { status, errorCode, errorMsg, isUnreached };
    const ended = { ...told, response, httpStatus, endedAt, latencyMs };
    return this.#hasBegun ? this.#finish(ended) : this.#insert(ended);
  }

  async #insert(ended: RunOutcome): Promise<void> {
    await this.#deps.runs.insertFinished({ ...this.#toRow(), ...ended }).catch(refuseUnsent);
    this.#ctx.onRecord?.(this.runId);
  }

  async #finish(ended: RunOutcome): Promise<void> {
    const outcome = this.#hasNewSecrets ? { ...ended, resealed: this.#toRequest() } : ended;
    const { runs } = this.#deps;
    const isOfWorkflow = findWorkflowCause(this.#ctx) !== null;
    try {
      await (isOfWorkflow
        ? finishPatiently(() => runs.finish(this.runId, outcome), this.#ctx.signal)
        : runs.finish(this.runId, outcome));
    } catch (thrown) {
      throw toEffectsWarning(thrown);
    }
  }

  #toRow(): NewRun {
    const { caller, cause, origin } = this.#ctx;
    const workflow = findWorkflowCause(this.#ctx);
    return {
      ...this.#toRequest(),
      id: this.runId,
      parentRunId: cause?.kind === "retry" ? cause.id : null,
      connectorId: this.#known.connectorId,
      rowLabel: this.#known.rowLabel,
      operationKey: this.#known.operationKey,
      userId: caller.userId,
      tokenId: caller.tokenId,
      source: origin.source,
      ipAddress: origin.ip,
      userAgent: this.#userAgent,
      workflowRunId: workflow?.id ?? null,
      startedBy: workflow?.startedBy ?? null,
      causeKind: cause?.kind ?? "client",
      causeId: cause?.id ?? null,
      instanceId: this.#deps.instanceId,
      account: this.#known.account ?? null,
      startedAt: this.#startedAt,
    };
  }

  #toRequest(): Pick<NewRun, "request" | "requestCut"> {
    const stored = this.leavesTextsOut()
      ? leftOutRequest
      : toStoredRequest(this.#known, this.callMask);
    return this.#keep(stored.request) === null ? { request: usedUp, requestCut: true } : stored;
  }

  /** A text of the record, unless the user's records have stored as much as they may. */
  #keep(text: string): string | null {
    const { recordedBytes } = this.#deps;
    const { userId } = this.#ctx.caller;
    const bytes = Buffer.byteLength(text);
    if (recordedBytes.findWaitMs(userId, bytes) > 0) return null;
    recordedBytes.add(userId, bytes);
    return text;
  }

  #count(outcome: CountedOutcome): Pick<RunOutcome, "endedAt" | "latencyMs"> {
    const endedAt = this.#deps.now();
    const latencyMs = Math.max(endedAt - this.#startedAt, 0);
    const { connectorKey = null, operationKey, metaTool } = this.#known;
    const isMcp = this.#ctx.origin.source === "mcp";
    const call = { isMcp, operationKey, metaTool, connectorKey, latencyMs };
    this.#deps.metrics.countCall({ ...outcome, ...call });
    return { endedAt, latencyMs };
  }
}

/** In place of requests and results of a user whose records take too much. */
const usedUp = toJsonText({
  _omitted:
    "The records of this user's calls have stored as much as they may in a day (HUB_AUDIT_USER_BYTES_PER_DAY).",
});
