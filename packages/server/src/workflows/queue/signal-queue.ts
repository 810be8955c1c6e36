import type { Timers } from "../../lib/time/timers.ts";
import type { Signals } from "../../store/servers/signals.ts";
import type { RunQueue } from "./run-queue.ts";

type SignalQueueDeps = {
  signals: Pick<Signals, "send" | "receive">;
  timers: Pick<Timers, "after">;
};

/** Commits with a NOTIFY wait for each other, so a burst of offers shares signals. */
const gapMs = 25;

/** A signal of the database wakes the other servers, which look into the table. */
export function createSignalQueue({ signals, timers }: SignalQueueDeps): RunQueue {
  let sending: Promise<void> | null = null;
  let isOwed = false;
  let isClosing = false;
  let stopReceiving: Promise<() => Promise<void>> | null = null;
  let endGap = () => {};

  async function sendOwed(): Promise<void> {
    while (isOwed) {
      isOwed = false;
      await signals.send("runs");
      if (!isClosing) await pause();
    }
    sending = null;
  }

  function pause(): Promise<void> {
    return new Promise((resolve) => {
      const clear = timers.after(gapMs, resolve);
      endGap = () => {
        clear();
        resolve();
      };
    });
  }

  return {
    offer(runs) {
      if (runs.length === 0) return;
      isOwed = true;
      sending ??= sendOwed();
    },
    consume(onOffer) {
      stopReceiving ??= signals.receive("runs", onOffer);
    },
    async close() {
      await (await stopReceiving)?.();
      isClosing = true;
      endGap();
      await sending;
    },
  };
}
