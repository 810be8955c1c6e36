import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";

/** So many begin before the event loop has a turn. Each may take a tenth of a millisecond. */
const portionMax = 64;

export type Portions = {
  /** Null if the work may begin at once, else a promise to await first. */
  begin(): Promise<void> | null;
};

/**
 * Gives the event loop turns between what begins at the same time, such as requests: those of thousands of connections, or
 * those of a connection that sends many without waiting for the answers. Of these, the runtime passes on one after
 * another, for seconds, as long as each is answered without a turn. Once one waits, the runtime closes such a connection.
 */
export function createPortions(): Portions {
  const waiting: Array<() => void> = [];
  let begun = 0;
  let isWoken = false;

  /** Each turn lets a portion begin, and those that arrived first. */
  function wake(): void {
    if (isWoken) return;
    isWoken = true;
    void yieldToEventLoop().then(() => {
      isWoken = false;
      const portion = waiting.splice(0, portionMax);
      begun = portion.length;
      for (const begin of portion) begin();
      if (waiting.length > 0) wake();
    });
  }

  return {
    begin() {
      if (waiting.length === 0 && begun < portionMax) {
        begun += 1;
        return null;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push(resolve);
      wake();
      return promise;
    },
  };
}
