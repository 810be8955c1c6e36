/** Preloaded into a hub: appends the longest pause of its event loop in each 100 ms to HUB_TEST_LAG_FILE. */
import { appendFileSync } from "node:fs";

const file = process.env.HUB_TEST_LAG_FILE ?? "";
let last = performance.now();
let longest = 0;
let written = last;
setInterval(() => {
  const now = performance.now();
  longest = Math.max(longest, now - last - 2);
  last = now;
  if (now - written < 100) return;
  appendFileSync(file, `${longest.toFixed(1)}\n`);
  written = now;
  longest = 0;
}, 2).unref();
