import { toDurationText } from "@hub/connector";
import { HubError } from "../../errors.ts";

export type Deadline = {
  /** Aborts with the HubError that says why. */
  signal: AbortSignal;
  /** The outcome of the work, or a rejection when the signal aborts before. */
  race<Result>(work: Promise<Result>): Promise<Result>;
  /** Ends the call early, for this reason. */
  end(reason: HubError): void;
  /**
   * Begins to watch the time limit and the caller, in the turn of the event loop after the task began. Most tasks have
   * ended before, and a timer and a listener for each would cost more than the task.
   */
  watch(): void;
  clear(): void;
};

/** Ends a task at its timeout or when its caller cancels, whichever comes first. */
export function createDeadline(
  cancel: AbortSignal,
  { name, timeoutMs }: { name: string; timeoutMs: number },
): Deadline {
  const abort = new AbortController();
  const startedAt = performance.now();
  let isOver = false;
  let timer: Timer | null = null;
  let reject: ((reason: HubError) => void) | null = null;
  const end = (reason: HubError) => {
    abort.abort(reason);
    reject?.(reason);
  };
  const onCancel = () => end(toCancelled(cancel.reason));
  const onTimeout = () => end(toTimeout(name, timeoutMs));
  if (cancel.aborted) onCancel();
  return {
    signal: abort.signal,
    race: (work) =>
      new Promise((resolve, refuse) => {
        reject = refuse;
        work.then(resolve, refuse);
        // Behind the outcome of work that has ended.
        if (abort.signal.aborted) queueMicrotask(() => refuse(abort.signal.reason));
      }),
    end,
    watch() {
      if (isOver || abort.signal.aborted) return;
      if (cancel.aborted) return onCancel();
      cancel.addEventListener("abort", onCancel, { once: true });
      timer = setTimeout(onTimeout, Math.max(0, timeoutMs - (performance.now() - startedAt)));
    },
    clear() {
      isOver = true;
      if (timer === null) return;
      clearTimeout(timer);
      cancel.removeEventListener("abort", onCancel);
    },
  };
}

function toTimeout(name: string, timeoutMs: number): HubError {
  return new HubError(
    "timeout",
    `The ${name} did not answer within ${toDurationText(timeoutMs)}. Request less data at a time, or try again later.`,
  );
}

/** A transport passes its reason with the signal. Without a reason, the client has cancelled. */
function toCancelled(reason: unknown): HubError {
  if (reason instanceof HubError) return reason;
  return new HubError("cancelled", "The client cancelled the call.");
}
