import type { Json } from "@hub/connector";
import type { Invocation } from "../connectors/connector-port.ts";
import { breathe } from "../lib/breathe.ts";
import { findPlainJson, tooLargeValue } from "../lib/plain-json.ts";
import { writeJson } from "../lib/write-json.ts";
import { LargeAnswer } from "./answers/large-answers.ts";
import { createDeadline } from "./create-deadline.ts";
import { toConnectorFailure } from "./describe-failure.ts";
import type { Target } from "./find-operation.ts";
import type { Recording } from "./open-recording.ts";
import type { CallContext } from "./operations.ts";
import type { RunningCalls } from "./running-calls.ts";
import { sealMessage } from "./seal-message.ts";
import { type ConnectorCallDeps, toConnectorCall } from "./to-connector-call.ts";

const timeoutMsDefault = 180_000;

type InvokeDeps = ConnectorCallDeps & {
  running: Pick<RunningCalls, "enter">;
};

/** What an operation is called with: checked params, and what the widget that calls it sends. */
export type CallValues = Pick<Invocation, "params" | "widget">;

/**
 * Runs the operation and waits for its result, its timeout or the caller's cancel, whichever comes
 * first. A connector that ignores the signal is no longer waited for.
 */
export async function invokeConnector(
  deps: InvokeDeps,
  ctx: CallContext,
  recording: Recording,
  target: Target,
  values: CallValues,
): Promise<Json | LargeAnswer> {
  const { connector, operation, row } = target;
  const { mask } = recording;
  const deadline = createDeadline(ctx.signal, operation.timeoutMs ?? timeoutMsDefault);
  const leave = deps.running.enter(recording.runId, deadline.end);
  let isOver = false;
  try {
    const work = connector.invoke({
      ...toConnectorCall(deps, { ctx, recording, connector, row, signal: deadline.signal }),
      operation: operation.key,
      ...values,
      runId: recording.runId,
      secrets: recording.callMask.secrets,
      noteHttpStatus: (status) => recording.noteHttpStatus(status),
      progress(done, total, message) {
        if (isOver || deadline.signal.aborted) return;
        // They are not sealed: a text in their place, as plain JavaScript could give, must not leave.
        if (!Number.isFinite(done)) return;
        ctx.onProgress?.({
          done,
          ...(Number.isFinite(total) && { total }),
          ...(message !== undefined && { message: sealMessage(mask, message) }),
        });
      },
    });
    const value = await Promise.race([work, deadline.passed]);
    const plain = findPlainJson(value);
    if (plain !== tooLargeValue) return plain;
    return new LargeAnswer(await writeJson({ breathe }, value));
  } catch (thrown) {
    throw deadline.signal.aborted ? deadline.signal.reason : toConnectorFailure(thrown);
  } finally {
    isOver = true;
    leave();
    deadline.clear();
  }
}
