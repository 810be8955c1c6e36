import { HubError } from "../errors.ts";
import { toPlainJson } from "../lib/plain-json.ts";
import { type ConnectorLogDeps, createConnectorLog } from "./connector-log.ts";
import { toConnectorFailure } from "./describe-failure.ts";
import type { Target } from "./find-operation.ts";
import type { Recording } from "./open-recording.ts";
import type { CallContext } from "./operations.ts";
import { sealMessage } from "./seal-message.ts";

const timeoutMsDefault = 180_000;

type InvokeDeps = {
  outboundAllow: readonly string[];
  resultBytesMax: number;
  log: ConnectorLogDeps["log"];
};

/**
 * Runs the operation and waits for its result, its timeout or the caller's cancel, whichever comes
 * first. A connector that ignores the signal is no longer waited for.
 */
export async function invokeConnector(
  deps: InvokeDeps,
  ctx: CallContext,
  recording: Recording,
  target: Target,
  params: Record<string, unknown>,
): Promise<unknown> {
  const { connector, operation, row } = target;
  const { mask } = recording;
  const config = row.config();
  const deadline = createDeadline(ctx.signal, operation.timeoutMs ?? timeoutMsDefault);
  let isOver = false;
  try {
    const work = connector.invoke({
      operation: operation.key,
      config: config.values,
      params,
      caller: ctx.caller,
      runId: recording.runId,
      secrets: recording.secrets,
      signal: deadline.signal,
      outbound: { savedHosts: config.savedHosts, allow: [...deps.outboundAllow] },
      log: createConnectorLog({ log: deps.log, connectorKey: connector.key, mask }),
      mask: (value) => mask.addSecret(value),
      maskIgnoreCase: (value) => mask.addSecretIgnoreCase(value),
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
    return toPlainJson(await Promise.race([work, deadline.passed]), deps.resultBytesMax);
  } catch (thrown) {
    throw deadline.signal.aborted ? deadline.signal.reason : toConnectorFailure(thrown);
  } finally {
    isOver = true;
    deadline.clear();
  }
}

type Deadline = {
  /** Aborts with the HubError that says why. */
  signal: AbortSignal;
  /** Rejects when the signal aborts. */
  passed: Promise<never>;
  clear(): void;
};

function createDeadline(cancel: AbortSignal, timeoutMs: number): Deadline {
  const abort = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  // Nobody may be racing any more when it rejects.
  promise.catch(() => {});
  const end = (reason: HubError) => {
    abort.abort(reason);
    reject(reason);
  };
  const onCancel = () => end(toCancelled(cancel.reason));
  const timer = setTimeout(() => {
    const seconds = Math.round(timeoutMs / 1000);
    end(
      new HubError(
        "timeout",
        `The operation did not answer within ${seconds} s. Ask for less at a time, or try again later.`,
      ),
    );
  }, timeoutMs);
  if (cancel.aborted) onCancel();
  else cancel.addEventListener("abort", onCancel, { once: true });
  return {
    signal: abort.signal,
    passed: promise,
    clear() {
      clearTimeout(timer);
      cancel.removeEventListener("abort", onCancel);
    },
  };
}

/** A door says why in the signal's reason; without one, it was the client's wish. */
function toCancelled(reason: unknown): HubError {
  if (reason instanceof HubError) return reason;
  return new HubError("cancelled", "The call was cancelled by its client.");
}
