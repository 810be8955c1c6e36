import type { Timers } from "../lib/time/timers.ts";
import type { ChatEnvelope } from "./chat-adapter.ts";
import type { EnvelopeOutcome } from "./receive-envelope.ts";

/** One of the last envelopes of a channel, without its content. */
export type RecentEnvelope = EnvelopeOutcome & { at: number; events: string[] };

/** Keeps the list of the last envelopes of each channel, for its page. */
export type RecentEnvelopes = {
  record(rowId: string, envelope: Pick<ChatEnvelope, "events">, outcome: EnvelopeOutcome): void;
  close(): Promise<void>;
};

type RecentDeps = {
  read(rowId: string): Promise<string>;
  put(rowId: string, text: string): Promise<void>;
  timers: Pick<Timers, "after">;
  now(): number;
  logFailure(err: unknown): void;
};

const keptMax = 20;
/** A busy channel does not write for each of its events. */
const writeMs = 2_000;

export function createRecentEnvelopes(deps: RecentDeps): RecentEnvelopes {
  const pending = new Map<string, RecentEnvelope[]>();
  let stopTimer: (() => void) | null = null;
  let writing = Promise.resolve();

  async function write(): Promise<void> {
    const taken = [...pending];
    pending.clear();
    for (const [rowId, added] of taken) {
      const known: unknown = JSON.parse(await deps.read(rowId));
      const all = [...added, ...(Array.isArray(known) ? known : [])];
      await deps.put(rowId, JSON.stringify(all.slice(0, keptMax)));
    }
  }

  function flush(): Promise<void> {
    writing = writing.then(write).catch(deps.logFailure);
    return writing;
  }

  return {
    record(rowId, { events }, outcome) {
      const own = pending.get(rowId) ?? [];
      const names = events.map(({ event }) => event).slice(0, 10);
      own.unshift({ at: deps.now(), events: names, ...outcome });
      if (own.length > keptMax) own.pop();
      pending.set(rowId, own);
      stopTimer ??= deps.timers.after(writeMs, () => {
        stopTimer = null;
        void flush();
      });
    },
    async close() {
      stopTimer?.();
      await flush();
    },
  };
}
