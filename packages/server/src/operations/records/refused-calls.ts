import type { Timers } from "../../lib/time/timers.ts";

/**
 * Counts calls that a limit refuses, so that a flood of them does not fill the disk: of each user, row and
 * kind of limit, one record a minute is stored.
 */
export type RefusedCalls = {
  /**
   * True for the first refused call, which is recorded by itself. Later ones are only counted: each minute
   * `record` stores how many they were.
   */
  admit(key: string, record: RecordRefused): boolean;
  /** Whether a call with this key was refused in the last minute. */
  isRefusing(key: string): boolean;
  /** Stores the counts of the last minute. */
  close(): Promise<void>;
};

type RecordRefused = (calls: number) => Promise<void>;

type RefusedDeps = { timers: Pick<Timers, "after">; logFailure(err: unknown): void };

/**
 * The key of a user's refused calls: by the name of the budget that is used up, if it was one, and by the
 * row, if the call has found it.
 */
export function refusedCallsKey(
  userId: string,
  { budget = "calls", rowId = null }: { budget?: unknown; rowId?: string | null } = {},
): string {
  return `user:${userId} ${String(budget)} ${rowId ?? ""}`;
}

const minuteMs = 60_000;

type Counted = { calls: number; record: RecordRefused; stop(): void };

export function createRefusedCalls({ timers, logFailure }: RefusedDeps): RefusedCalls {
  const counted = new Map<string, Counted>();

  function startMinute(key: string, record: RecordRefused): void {
    const stop = timers.after(minuteMs, () => void endMinute(key));
    counted.set(key, { calls: 0, record, stop });
  }

  async function endMinute(key: string): Promise<void> {
    const ended = counted.get(key);
    counted.delete(key);
    if (ended === undefined || ended.calls === 0) return;
    // As long as calls are refused, no other record follows in between.
    startMinute(key, ended.record);
    await store(ended);
  }

  async function store({ calls, record }: Counted): Promise<void> {
    try {
      if (calls > 0) await record(calls);
    } catch (err) {
      logFailure(err);
    }
  }

  return {
    admit(key, record) {
      const known = counted.get(key);
      if (known !== undefined) {
        known.calls += 1;
        return false;
      }
      startMinute(key, record);
      return true;
    },
    isRefusing: (key) => counted.has(key),
    async close() {
      const left = [...counted.values()];
      counted.clear();
      for (const { stop } of left) stop();
      await Promise.all(left.map(store));
    },
  };
}
