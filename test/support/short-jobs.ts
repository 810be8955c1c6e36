/** Preloaded into hubs of tests: jobs of every 30 seconds run every 300 ms. Limits of time stay as they are. */
const { setInterval: repeat } = globalThis;

globalThis.setInterval = Object.assign(
  (action: () => void, delayMs?: number) => repeat(action, delayMs === 30_000 ? 300 : delayMs),
  repeat,
);
