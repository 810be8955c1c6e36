/** A signal that aborts at the timeout or with one of the given signals. */
export type Deadline = { signal: AbortSignal; clear(): void };

export function createDeadline(
  timeoutMs: number,
  signals: readonly (AbortSignal | null | undefined)[],
  toReason: () => Error,
): Deadline {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(toReason()), timeoutMs);
  timer.unref();
  const sources = signals.filter((signal) => signal !== null && signal !== undefined);
  const onAbort = (event: Event) => {
    // Only the signals below have this listener.
    abort.abort((event.target as AbortSignal).reason);
  };
  for (const source of sources) {
    if (source.aborted) abort.abort(source.reason);
    else source.addEventListener("abort", onAbort, { once: true });
  }
  return {
    signal: abort.signal,
    clear() {
      clearTimeout(timer);
      for (const source of sources) source.removeEventListener("abort", onAbort);
    },
  };
}

/** The result of the work, or the signal's reason as soon as it aborts. */
export async function raceSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(signal.reason);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    work.catch(() => {});
  }
}
