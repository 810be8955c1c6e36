/** What becomes of an envelope that could not be stored, or not for all workflows. */
export type FailedEnvelopes = {
  /**
   * Counts a failure. `again`: the platform must deliver the envelope again. `given_up`: it is
   * acknowledged, because it failed often enough or because what failed is known to be broken.
   */
  recordFailure(
    rowId: string,
    envelopeId: string,
    failed: readonly FailedPart[],
  ): "again" | "given_up";
  forget(rowId: string, envelopeId: string): void;
};

/** The workflow whose run was not stored. Null: the event itself could not be handled. */
export type FailedPart = string | null;

const attemptsMax = 3;
/** How long a workflow counts as broken. Otherwise each of its events would keep a queue waiting. */
const brokenMs = 60_000;
const keptMax = 10_000;

/** For failures inside the hub. While the database is away, every envelope is delivered again. */
export function createFailedEnvelopes({ now }: { now(): number }): FailedEnvelopes {
  const attempts = new Map<string, number>();
  const brokenUntil = new Map<string, number>();
  const toKey = (rowId: string, id: string) => `${rowId} ${id}`;
  return {
    recordFailure(rowId, envelopeId, failed) {
      const at = now();
      const key = toKey(rowId, envelopeId);
      const parts = failed.map((part) => toKey(rowId, part ?? ""));
      const count = (attempts.get(key) ?? 0) + 1;
      const isKnown = parts.every((part) => (brokenUntil.get(part) ?? 0) > at);
      attempts.delete(key);
      if (!isKnown && count < attemptsMax) {
        put(attempts, key, count);
        return "again";
      }
      // Those that are known stay known until their time: then they are tried again.
      if (!isKnown) for (const part of parts) put(brokenUntil, part, at + brokenMs);
      return "given_up";
    },
    forget: (rowId, envelopeId) => void attempts.delete(toKey(rowId, envelopeId)),
  };
}

/** The oldest entry is dropped for a new one. */
function put(map: Map<string, number>, key: string, value: number): void {
  map.delete(key);
  const [oldest] = map.keys();
  if (map.size >= keptMax && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
