/**
 * Preloaded into a hub: appends the longest pause of its event loop in each 100 ms to HUB_TEST_LAG_FILE. A
 * pause counts as long as the process had the processor, which others may use at the same time.
 */
import { appendFileSync } from "node:fs";

const file = process.env.HUB_TEST_LAG_FILE ?? "";
let last = performance.now();
let lastCpuMs = readCpuMs();
let longest = 0;
let written = last;
setInterval(() => {
  const now = performance.now();
  const cpuMs = readCpuMs();
  longest = Math.max(longest, Math.min(now - last - 2, cpuMs - lastCpuMs));
  [last, lastCpuMs] = [now, cpuMs];
  if (now - written < 100) return;
  appendFileSync(file, `${longest.toFixed(1)}\n`);
  written = now;
  longest = 0;
}, 2).unref();

function readCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
