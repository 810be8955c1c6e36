/** Preloaded into hubs of tests: 30 seconds pass in 300 ms. Other times stay as they are. */
const { setTimeout: startOnce, setInterval: startAlways } = globalThis;

const shorten = (delayMs?: number) => (delayMs === 30_000 ? 300 : delayMs);

globalThis.setTimeout = Object.assign(
  (action: () => void, delayMs?: number) => startOnce(action, shorten(delayMs)),
  startOnce,
);
globalThis.setInterval = Object.assign(
  (action: () => void, delayMs?: number) => startAlways(action, shorten(delayMs)),
  startAlways,
);
