import { SourceFailure } from "./source-failure.ts";

/** A token that a manager or a cloud gave the hub. */
export type Session<Value> = {
  value: Value;
  /** Epoch ms; null if it lasts until it is refused. */
  until: number | null;
};

/** A session is renewed so long before its end, or at half of its time if that is later. */
const earlyMs = 60_000;

/**
 * Opens a session on first use, and again before its end. Reads that need one at the same time share the opening.
 * A read that is refused is tried once more with a new session, because managers answer an ended one and a missing
 * right alike.
 */
export function createKeptSession<Value>(
  now: () => number,
  open: (signal: AbortSignal) => Promise<Session<Value>>,
) {
  let kept: (Session<Value> & { renewAt: number }) | null = null;
  let opening: Promise<Value> | null = null;

  async function get(signal: AbortSignal): Promise<Value> {
    if (kept !== null && now() < kept.renewAt) return kept.value;
    opening ??= open(signal)
      .then((session) => {
        const lastsMs = session.until === null ? null : session.until - now();
        const renewAt =
          lastsMs === null
            ? Number.POSITIVE_INFINITY
            : now() + Math.max(lastsMs - earlyMs, lastsMs / 2);
        kept = { ...session, renewAt };
        return session.value;
      })
      .finally(() => {
        opening = null;
      });
    return await opening;
  }

  return {
    async use<Result>(
      signal: AbortSignal,
      work: (value: Value) => Promise<Result>,
    ): Promise<Result> {
      const used = kept;
      const wasKept = used !== null && now() < used.renewAt;
      try {
        return await work(await get(signal));
      } catch (thrown) {
        const isRefused = thrown instanceof SourceFailure && thrown.kind === "refused";
        if (isRefused && kept === used) kept = null;
        // One that was opened for this read is as good as the next one.
        if (!isRefused || !wasKept) {
          if (isRefused) kept = null;
          throw thrown;
        }
        return await work(await get(signal));
      }
    },
  };
}
