import { type Json, toJsonText } from "@hub/connector";
import type { Directory } from "../connectors/row-directory.ts";
import { cutJson } from "../lib/cut-json.ts";
import type { Metrics } from "../lib/metrics.ts";
import { findPlainJson, tooLargeValue } from "../lib/plain-json.ts";
import { TooManySecretsError } from "../secrets/limit-seals.ts";
import { listParts } from "../secrets/list-parts.ts";
import { createMask, type Mask } from "../secrets/mask.ts";
import type { RingHolder } from "../secrets/ring-holder.ts";
import type { RowTokens } from "../secrets/sealer.ts";
import type { NewRun, RunOutcome, RunRecorder } from "../store/run-recorder.ts";
import type { AnswerSpace, AnswerSpaces } from "./answers/answer-space.ts";
import { type CallMask, createCallMask } from "./call-mask.ts";
import { cutSealedText } from "./cut-sealed-text.ts";
import { holdsRemovedToken } from "./hub-tokens.ts";
import type { CallContext } from "./operations.ts";
import { sealBeginning } from "./seal-beginning.ts";

/** Request, response and a failure's details are kept up to this size each. */
export const auditBytesMax = 16 * 1024;

/** What is known of a call; more of it as the pipeline learns more. */
export type CallDescription = {
  connectorId: string | null;
  /** Of the row's connector, once the row is found. */
  connectorKey?: string;
  rowLabel: string | null;
  operationKey: string;
  /** The request as the client sent it; it is sealed before it is stored. */
  request: Json;
  /** Whether it lacks some of what the client sent, so that it cannot be replayed. */
  isRequestPartial?: boolean;
};

/** What seals the hub's own words. */
type WordsMask = Pick<Mask, "sealText" | "cutText">;

/** The audit row of a call under way. */
export type Recording = {
  runId: string;
  /** The rows as they were when the call came in; its key ring is as fresh. */
  directory: Directory;
  /** Every secret that this call meets; what leaves passes through it. */
  mask: Mask;
  /**
   * A mask that finds parts of the secrets, too, such as the host of an address: for what the hub
   * itself says of a call that it could not make.
   */
  createPartsMask(): WordsMask;
  /** The same mask with what it holds, in plain: for parts that keep it out of what no mask sees. */
  callMask: CallMask;
  known: Readonly<CallDescription>;
  /** What this call holds of the memory for large answers. */
  space: AnswerSpace;
  describe(part: Partial<CallDescription>): void;
  noteHttpStatus(status: number): void;
  /** Puts the row on disk as `running`. Until it resolves, no operation may start. */
  begin(): Promise<void>;
  /** Puts the outcome on disk. Until it resolves, no reply may leave. */
  close(outcome: Pick<RunOutcome, "status" | "errorCode" | "errorMsg" | "response">): Promise<void>;
};

export type RecordingDeps = {
  runs: Pick<RunRecorder, "begin" | "finish" | "insertFinished">;
  ring: RingHolder;
  isMaskingEnabled: boolean;
  rowTokens: RowTokens;
  instanceId: string;
  now: () => number;
  createRunId: () => string;
  answerSpaces: AnswerSpaces;
  metrics: Pick<Metrics, "countCall">;
};

/** Opens the record of one call. Nothing is on disk until `begin` or `close`. */
export function openRecording(
  deps: RecordingDeps,
  ctx: CallContext,
  description: CallDescription,
  directory: Directory,
): Recording {
  const startedAt = deps.now();
  const runId = deps.createRunId();
  let httpStatus: number | null = null;
  let hasBegun = false;
  let learnedSince = false;
  const { userId } = ctx.caller;
  const maskOptions = {
    ring: deps.ring.current(),
    userId,
    enabled: deps.isMaskingEnabled,
    rowTokens: deps.rowTokens,
  };
  const callMask = createCallMask(createMask(maskOptions), () => {
    learnedSince ||= hasBegun;
  });
  const { mask } = callMask;
  const { ip: ipAddress, source, userAgent: sentUserAgent } = ctx.origin;
  callMask.noteSent([description.operationKey, description.request, sentUserAgent]);
  // While the mask holds nothing else: a row's secret may be as short as an operation's name.
  const known = { ...description, operationKey: mask.sealText(description.operationKey) };
  const userAgent = sentUserAgent === null ? null : mask.sealText(sentUserAgent);
  const toRow = (): NewRun => ({
    ...toStoredRequest(known, callMask),
    id: runId,
    parentRunId: ctx.parentRunId ?? null,
    connectorId: known.connectorId,
    rowLabel: known.rowLabel,
    operationKey: known.operationKey,
    userId,
    tokenId: ctx.caller.tokenId,
    source,
    ipAddress,
    userAgent,
    instanceId: deps.instanceId,
    startedAt,
  });

  return {
    runId,
    directory,
    mask,
    callMask,
    known,
    createPartsMask: () => addParts(mask, known.connectorId, createMask(maskOptions)),
    space: deps.answerSpaces.open(userId),
    describe(part) {
      Object.assign(known, part);
      callMask.noteSent(part.request);
    },
    noteHttpStatus: (status) => {
      httpStatus = status;
    },
    async begin() {
      await deps.runs.begin(toRow());
      hasBegun = true;
    },
    async close(outcome) {
      const endedAt = deps.now();
      const latencyMs = Math.max(endedAt - startedAt, 0);
      const { connectorKey = null, operationKey } = known;
      const isMcp = source === "mcp";
      deps.metrics.countCall({ ...outcome, isMcp, operationKey, connectorKey, latencyMs });
      const full = { ...outcome, httpStatus, endedAt, latencyMs };
      if (!hasBegun) return await deps.runs.insertFinished({ ...toRow(), ...full });
      const resealed = learnedSince ? { resealed: toStoredRequest(known, callMask) } : {};
      await deps.runs.finish(runId, { ...full, ...resealed });
    },
  };
}

/** A sealed value as an audit row holds it: valid JSON, cut to size. */
export function toAuditText(value: Json, text: string): string {
  if (Buffer.byteLength(text) <= auditBytesMax) return text;
  return toJsonText(cutJson(value, auditBytesMax, cutSealedText));
}

function toStoredRequest(
  { request, isRequestPartial = false }: CallDescription,
  { mask, isOverfull }: CallMask,
) {
  // Of a long one only the beginning is kept, so only that is searched.
  const isShort = findPlainJson(request) !== tooLargeValue;
  const sealed = isShort ? sealRequest(request, mask) : sealRequestBeginning(request, mask);
  const text = toJsonText(sealed);
  const stored = toAuditText(sealed, text);
  const isWhole = isShort && sealed !== unsealable && stored === text && !isOverfull();
  return { request: stored, requestCut: isRequestPartial || !isWhole || holdsRemovedToken(text) };
}

const unsealable = { _omitted: "The request shows secrets in too many ways to be sealed." };

/** A request that cannot be sealed must not keep its call from being recorded. */
function sealRequest(request: Json, mask: Mask): Json {
  try {
    return mask.sealJson(request);
  } catch (thrown) {
    if (thrown instanceof TooManySecretsError) return unsealable;
    throw thrown;
  }
}

function sealRequestBeginning(request: Json, mask: Mask): Json {
  try {
    return sealBeginning(mask, request, auditBytesMax);
  } catch {
    return unsealable;
  }
}

/** A failure of the outside is answered at once, however many secrets the call has met. */
const partsMax = 200;

function addParts(mask: Mask, rowId: string | null, wider: Mask): WordsMask {
  if (rowId !== null) wider.bindRow(rowId);
  let partsLeft = partsMax;
  for (const { text, ignoreCase, ofRow } of mask.listSecrets()) {
    if (ignoreCase) wider.addSecretIgnoreCase(text, { ofRow });
    else wider.addSecret(text, { ofRow });
    for (const part of listParts(text).slice(0, partsLeft)) {
      wider.addSecretIgnoreCase(part, { ofRow });
      partsLeft -= 1;
    }
  }
  const { cutText } = wider;
  return { cutText, sealText: (text) => mask.sealText(wider.sealText(text)) };
}
