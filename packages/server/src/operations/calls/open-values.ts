import { recordAccountUse } from "../../connectors/accounts/record-account-use.ts";
import type { Row } from "../../connectors/rows/row-directory.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import type { ComposedAnswer } from "../answers/composed-answer.ts";
import type { SentParams } from "../guesses/count-guesses.ts";
import { findRowSecrets } from "../masking/mask-row.ts";
import type { CallContext, ExecuteRequest } from "../operations.ts";
import type { Recording, RunClaim } from "../records/recording.ts";
import type { ExecuteDeps } from "./execute-deps.ts";
import { type CallValues, type OpenedCall, openCall, type PreparedCall } from "./prepare-call.ts";

/** The values of the call, after the row is known to be ready, and what a person has decided on it. */
export async function openValues(
  deps: ExecuteDeps,
  ctx: CallContext,
  recording: Recording,
  prepared: PreparedCall,
  sent: ExecuteRequest,
): Promise<{ values: CallValues; claim: RunClaim | null; answer: ComposedAnswer | null }> {
  const opening =
    prepared.needsAccount === null
      ? openCall(deps, ctx, recording, prepared)
      : openOrAsk(deps, ctx, recording, prepared, sent);
  const { values, guesses } = await opening;
  // Before the limits, which a call that a person is asked about does not use.
  const judged = deps.pending.admit(ctx, recording, prepared, sent);
  const admission = judged instanceof Promise ? await judged : judged;
  const claim = admission !== null && "claim" in admission ? admission.claim : null;
  const answer = admission !== null && "answer" in admission ? admission.answer : null;
  if (answer !== null) return { values, claim, answer };
  if (claim !== null) recording.useClaim(claim);
  const { row, operation } = prepared.target;
  // Only now, because no message of a call that is refused before confirms a guess.
  limitGuesses(deps, ctx, recording, row, { operation: operation.key, params: guesses });
  if (row.account !== undefined) await recordAccountUse(deps, row);
  if (ctx.largeChars) await yieldToEventLoop();
  return { values, claim, answer };
}

/** Opens the call. If only an account is missing, its user is asked for it. */
async function openOrAsk(
  deps: ExecuteDeps,
  ctx: CallContext,
  recording: Recording,
  prepared: PreparedCall,
  sent: ExecuteRequest,
): Promise<OpenedCall> {
  try {
    return await openCall(deps, ctx, recording, prepared);
  } catch (thrown) {
    if (prepared.needsAccount === null || thrown !== prepared.needsAccount) throw thrown;
    return await deps.pending.askForAccount(ctx, recording, prepared, sent);
  }
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
