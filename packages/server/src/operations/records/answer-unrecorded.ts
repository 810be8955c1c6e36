import type { Json } from "@hub/connector";
import type { KeptAnswer } from "../answers/kept-answer.ts";
import { sealAnswer } from "../masking/seal-answer.ts";
import { sealCallFailure, toCallFailure } from "../masking/seal-failure.ts";
import type { Presentation } from "../masking/seal-result.ts";
import type { CallContext, SealedResult } from "../operations.ts";
import { openRecording } from "./open-recording.ts";
import { enterUser, type RecordDeps, refuseCall } from "./record-call.ts";
import type { CallDescription } from "./recording.ts";

/**
 * Answers as `recordCall` does, within the same limits and sealed and cut in the same way, and leaves no
 * audit row.
 */
export async function answerUnrecorded(
  deps: RecordDeps,
  ctx: CallContext,
  description: CallDescription,
  answer: () => Promise<Json | KeptAnswer>,
  presentation: Presentation,
): Promise<SealedResult> {
  const directory = await deps.directory.current(ctx.caller.seen).catch(refuseCall);
  const recording = openRecording(deps, ctx, description, directory);
  let release = () => {};
  try {
    const entry = enterUser(deps, ctx, directory);
    release = entry.release;
    await entry.admitted;
    return (await sealAnswer(deps, ctx, recording, await answer(), presentation)).sealed;
  } catch (thrown) {
    const failure = toCallFailure(thrown);
    if (failure.cause !== undefined) {
      deps.logFailure({
        code: failure.code,
        operation: recording.known.operationKey,
        reason: recording.mask.sealText(String(failure.cause)),
      });
    }
    throw sealCallFailure(deps, recording, failure);
  } finally {
    recording.release();
    release();
  }
}
