/** Preloaded into hubs of tests: 30 seconds pass in 300 ms. Other times stay as they are. */
const { setTimeout: start } = globalThis;

globalThis.setTimeout = Object.assign(
  (action: () => void, delayMs?: number) => start(action, delayMs === 30_000 ? 300 : delayMs),
  start,
);
