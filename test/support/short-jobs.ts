/** Preloaded into hubs of tests: jobs of every 30 seconds run every 300 ms. Limits of time stay as they are. */
const { setInterval: startAlways } = globalThis;

globalThis.setInterval = Object.assign(
  (action: () => void, delayMs?: number) => startAlways(action, delayMs === 30_000 ? 300 : delayMs),
  startAlways,
);
