import type { ToolDetail } from "@hub/contract/tool-entry.ts";
import type { Row } from "../../connectors/rows/row-directory.ts";
import { HubError } from "../../errors.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { CallPath } from "../admission/call.ts";
import { toDetail } from "../catalogue/tool-catalogue.ts";
import type { SentParams } from "../guesses/count-guesses.ts";
import type { GuessLimiter } from "../guesses/limit-guesses.ts";
import { findRowSecrets } from "../masking/mask-row.ts";
import { sealCallFailure, toCallFailure } from "../masking/seal-failure.ts";
import {
  type CallContext,
  type CheckContext,
  type CheckedRequest,
  type ExecuteRequest,
  findWorkflowCause,
  type SealedResult,
} from "../operations.ts";
import { takeFields } from "../questions/widget-call.ts";
import { describeUnknown } from "../records/describe-request.ts";
import { openRecording } from "../records/open-recording.ts";
import { type RecordDeps, recordCall } from "../records/record-call.ts";
import type { Recording } from "../records/recording.ts";
import { openCall, type PrepareDeps, type PreparedCall, prepareCall } from "./prepare-call.ts";
import { type RunDeps, runInConnector } from "./run-in-connector.ts";
import type { RightWatch, WatchedCall } from "./watch-right.ts";

export type ExecuteDeps = RecordDeps &
  RunDeps &
  PrepareDeps & { rights: RightWatch; guessLimiter: GuessLimiter };

const timeoutMsDefault = 180_000;

/**
 * Runs one operation: record( prepare → open → invoke ) → seal. This is the only path to a
 * connector's operations, for all callers and transports.
 */
export async function executeOperation(
  deps: ExecuteDeps,
  ctx: CallContext,
  given: ExecuteRequest,
  path: CallPath,
): Promise<SealedResult> {
  // Only tests have widgets, so a client's call cannot contain one.
  const { toolId, params, fields, readsOnly, resultBytesMax: bytesMax } = given;
  const sent: ExecuteRequest = path === "client" ? { toolId, params, readsOnly } : given;
  let watched: WatchedCall | null = null;
  const run = async (recording: Recording, leaveUser: () => void) => {
    const prepared = await prepareCall(deps, ctx, recording, sent, path);
    const { row, connector, operation } = prepared.target;
    ctx.onTarget?.(prepared.target);
    const workflow = findWorkflowCause(ctx);
    watched = deps.rights.begin(ctx, recording.runId, prepared.target);
    const answer = await runInConnector(
      deps,
      { ctx: watched === null ? ctx : deps.rights.toContext(watched), recording, row, connector },
      {
        name: "operation",
        timeoutMs: operation.timeoutMs ?? timeoutMsDefault,
        leaveUser: connector.scriptOperations?.has(operation.key) ? leaveUser : undefined,
        prepare: () => openValues(deps, ctx, recording, prepared),
        run: (call, values) =>
          connector.invoke({
            ...call,
            operation: operation.key,
            ...(operation.fromRow && { rowOperation: operation.fromRow.readRowOperation() }),
            ...(workflow && { idempotencyKey: workflow.idempotencyKey }),
            ...values,
          }),
      },
    );
    if (path !== "client") takeFields(prepared.target, recording.mask, answer, sent.widget);
    return answer;
  };
  try {
    return await recordCall(deps, ctx, describeUnknown(sent), run, { fields, bytesMax });
  } finally {
    // After the record: what was done is recorded, also if its caller may no longer know of it.
    if (watched !== null) await deps.rights.end(watched);
  }
}

/**
 * Prepares and opens a call as `executeOperation` does, and neither runs nor records it. Throws the
 * sealed errors that the call would get, without those of limits.
 */
export async function checkOperation(
  deps: ExecuteDeps,
  ctx: CheckContext,
  { toolId, params }: CheckedRequest,
): Promise<ToolDetail> {
  const directory = await deps.directory.current(ctx.caller.seen);
  const recording = openRecording(deps, ctx, describeUnknown({ toolId }), directory);
  try {
    const prepared = await prepareCall(deps, ctx, recording, { toolId, params }, "client");
    await openCall(deps, ctx, recording, prepared);
    return toDetail(prepared.target);
  } catch (thrown) {
    const { code, message, detail } = sealCallFailure(deps, recording, toCallFailure(thrown));
    throw new HubError(code, message, { detail, cause: thrown });
  } finally {
    recording.release();
  }
}

/** The values of the call, after the row is known to be ready. */
async function openValues(
  deps: ExecuteDeps,
  ctx: CallContext,
  recording: Recording,
  prepared: PreparedCall,
) {
  const { values, guesses } = await openCall(deps, ctx, recording, prepared);
  const { row, operation } = prepared.target;
  // Only now, because no message of a call that is refused before confirms a guess.
  limitGuesses(deps, ctx, recording, row, { operation: operation.key, params: guesses });
  if (ctx.largeChars) await yieldToEventLoop();
  return values;
}

/** Refuses a call that guesses more than its user may: see `guesses/limit-guesses.ts`. */
export function limitGuesses(
  { guessLimiter }: ExecuteDeps,
  { caller }: CallContext,
  recording: Recording,
  row: Row,
  sent: SentParams,
): void {
  // Most rows end here, before their configuration is read again.
  const secrets = recording.leavesTextsOut() ? findRowSecrets(row) : null;
  if (secrets === null) return;
  const admitted = guessLimiter.admit({ userId: caller.userId, row, secrets }, sent);
  if (admitted !== null) recording.require(admitted);
}
