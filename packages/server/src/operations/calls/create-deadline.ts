import { toDurationText } from "@hub/connector";
import { HubError } from "../../errors.ts";

export type Deadline = {
  /** Aborts with the HubError that says why. */
  signal: AbortSignal;
  /** Rejects when the signal aborts. */
  passed: Promise<never>;
  /** Ends the call early, for this reason. */
  end(reason: HubError): void;
  clear(): void;
};

/** Ends a task at its timeout or when its caller cancels, whichever comes first. */
export function createDeadline(
  cancel: AbortSignal,
  { name, timeoutMs }: { name: string; timeoutMs: number },
): Deadline {
  const abort = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  // It may reject after the race is over.
  promise.catch(() => {});
  const end = (reason: HubError) => {
    abort.abort(reason);
    reject(reason);
  };
  const onCancel = () => end(toCancelled(cancel.reason));
  const timer = setTimeout(() => {
    end(
      new HubError(
        "timeout",
        `The ${name} did not answer within ${toDurationText(timeoutMs)}. Request less data at a time, or try again later.`,
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

/** A transport passes its reason with the signal. Without a reason, the client has cancelled. */
function toCancelled(reason: unknown): HubError {
  if (reason instanceof HubError) return reason;
  return new HubError("cancelled", "The client cancelled the call.");
}
