import { HubError } from "../errors.ts";

export type Deadline = {
  /** Aborts with the HubError that says why. */
  signal: AbortSignal;
  /** Rejects when the signal aborts. */
  passed: Promise<never>;
  /** Ends the call before its time, for this reason. */
  end(reason: HubError): void;
  clear(): void;
};

/** Ends a task by its timeout or its caller's cancellation, whichever comes first. */
export function createDeadline(
  cancel: AbortSignal,
  { name, timeoutMs }: { name: string; timeoutMs: number },
): Deadline {
  const abort = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  // It may reject when nothing waits for it any more.
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
        `The ${name} did not answer within ${seconds} s. Ask for less at a time, or try again later.`,
      ),
    );
  }, timeoutMs);
  if (cancel.aborted) onCancel();
  else cancel.addEventListener("abort", onCancel, { once: true });
  return {
    signal: abort.signal,
    passed: promise,
    end,
    clear() {
      clearTimeout(timer);
      cancel.removeEventListener("abort", onCancel);
    },
  };
}

/** A transport gives its reason with the signal; without one, the client asked for it. */
function toCancelled(reason: unknown): HubError {
  if (reason instanceof HubError) return reason;
  return new HubError("cancelled", "The call was cancelled by its client.");
}
