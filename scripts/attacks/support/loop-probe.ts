/**
 * Preloaded into a hub: writes how long its event loop's thread worked without a turn for other work. A turn is a tick of a
 * timer; its duration is the thread's processor time, so that other programs of the machine do not count.
 * Appends the longest one of each 50 ms to HUB_PROBE_FILE, in milliseconds. Linux only.
 */
import { appendFileSync, closeSync, openSync, readSync } from "node:fs";
import { isMainThread } from "node:worker_threads";

const file = process.env.HUB_PROBE_FILE;
const everyMs = 2;
const writtenEveryMs = 50;
const text = Buffer.alloc(100);

if (file !== undefined && isMainThread) watchLoop(file);

function watchLoop(path: string): void {
  const stat = openSync("/proc/thread-self/schedstat", "r");
  process.on("exit", () => closeSync(stat));
  let last = readThreadMs(stat);
  let longest = 0;
  let writtenAt = performance.now();
  setInterval(() => {
    const present = readThreadMs(stat);
    longest = Math.max(longest, present - last);
    last = present;
    const now = performance.now();
    if (now - writtenAt < writtenEveryMs) return;
    appendFileSync(path, `${longest.toFixed(1)}\n`);
    writtenAt = now;
    longest = 0;
  }, everyMs).unref();
}

function readThreadMs(descriptor: number): number {
  const bytes = readSync(descriptor, text, 0, text.length, 0);
  return Number(text.toString("latin1", 0, bytes).split(" ")[0]) / 1e6;
}
