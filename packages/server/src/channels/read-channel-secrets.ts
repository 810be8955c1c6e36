import type { Row } from "../connectors/rows/row-directory.ts";
import type { Timers } from "../lib/time/timers.ts";

/** Reads of secrets that channels keep in secret managers. */
export type ChannelReads = {
  /** Begins a read for each row that has none under way. Nothing waits for a manager that does not answer. */
  start(rows: readonly Row[]): void;
  /** Until all reads are done, or a short time has passed. Never rejects. */
  wait(): Promise<void>;
  /** Whether a read of the row is under way. */
  has(rowId: string): boolean;
  /** Ends the waiting. Reads end by themselves. */
  stop(): void;
};

type ReadDeps = {
  timers: Pick<Timers, "after">;
  logFailure(err: unknown, detail: { channel: string | null }): void;
};

/** Most reads are done by then. What takes longer is looked at again in a later turn. */
const waitMsMax = 500;

export function createChannelReads({ timers, logFailure }: ReadDeps): ChannelReads {
  const reading = new Map<string, Promise<void>>();
  let endWaiting = () => {};
  let isStopped = false;

  async function read(row: Row): Promise<void> {
    try {
      await row.prepare?.();
    } catch (err) {
      logFailure(err, { channel: row.slug });
    } finally {
      reading.delete(row.id);
    }
  }

  return {
    start(rows) {
      for (const row of rows) {
        if (row.prepare === undefined || reading.has(row.id)) continue;
        // In a later task, so that the row is in the list before it is taken out.
        reading.set(
          row.id,
          Promise.resolve().then(() => read(row)),
        );
      }
    },
    async wait() {
      if (reading.size === 0 || isStopped) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      endWaiting = resolve;
      const cancel = timers.after(waitMsMax, resolve);
      await Promise.race([promise, Promise.all(reading.values())]);
      cancel();
    },
    has: (rowId) => reading.has(rowId),
    stop() {
      isStopped = true;
      endWaiting();
    },
  };
}
