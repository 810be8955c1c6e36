/** Resolves when the work has settled, at the latest after this time. */
export async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** A promise that resolves when the signal aborts. Dispose of it, so that the signal does not keep it. */
export function watchAbort(signal: AbortSignal): Disposable & { promise: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onAbort = () => resolve();
  if (signal.aborted) resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  return { promise, [Symbol.dispose]: () => signal.removeEventListener("abort", onAbort) };
}
