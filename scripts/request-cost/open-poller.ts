import type { PollRequest, Waits } from "./poll.ts";

export type Poller = Disposable & { takeWaits(): Promise<Waits>; pause(isPaused: boolean): void };

/** Polls in a thread of its own, so that this script's work does not lengthen the waits. */
export function openPoller(request: PollRequest): Poller {
  const worker = new Worker(new URL("./poll.ts", import.meta.url));
  worker.postMessage(request);
  return {
    async takeWaits() {
      const { promise, resolve } = Promise.withResolvers<Waits>();
      worker.onmessage = ({ data }) => resolve(data);
      worker.postMessage({ take: true });
      return await promise;
    },
    pause: (isPaused) => worker.postMessage({ pause: isPaused }),
    [Symbol.dispose]: () => worker.terminate(),
  };
}
