/**
 * Sends one request again and again on a connection of its own. Reports the longest wait by the clock, and by
 * the processor time that the hub's event loop used meanwhile, which a busy machine does not change.
 */
import { readLoopMs } from "./meter.ts";

declare const self: Worker;

export type PollRequest = { url: string; init?: RequestInit; pid: number; pauseMs: number };
export type Waits = { waitMs: number; holdMs: number; polls: number };

const none: Waits = { waitMs: 0, holdMs: 0, polls: 0 };
let longest = none;
let pending: { at: number; loopMs: number } | null = null;
let pid = 0;
let isPaused = false;

/** Also records the wait of the request that has no answer yet. */
function record(): void {
  if (pending === null) return;
  longest = {
    ...longest,
    waitMs: Math.max(longest.waitMs, performance.now() - pending.at),
    holdMs: Math.max(longest.holdMs, readLoopMs(pid) - pending.loopMs),
  };
}

self.onmessage = async ({
  data,
}: MessageEvent<PollRequest | { take: true } | { pause: boolean }>) => {
  if ("pause" in data) {
    isPaused = data.pause;
    return;
  }
  if ("take" in data) {
    record();
    self.postMessage(longest);
    longest = none;
    return;
  }
  ({ pid } = data);
  for (;;) {
    while (isPaused) await Bun.sleep(20);
    pending = { at: performance.now(), loopMs: readLoopMs(pid) };
    try {
      await (await fetch(data.url, data.init)).arrayBuffer();
      record();
      longest = { ...longest, polls: longest.polls + 1 };
    } catch {
      // A request that the hub drops is not judged by its wait.
    }
    pending = null;
    await Bun.sleep(data.pauseMs);
  }
};
