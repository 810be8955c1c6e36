import { yieldToEventLoop } from "../lib/yield-to-event-loop.ts";

/** So many requests begin before the event loop has a turn. Each may take a tenth of a millisecond. */
const portionMax = 64;

/**
 * Gives the event loop turns between requests. Of a connection that sends many requests without waiting for the
 * answers, the runtime passes on one after another, for seconds, as long as each is answered without a turn.
 * Once one waits, the runtime closes such a connection.
 */
export function createRequestPortions() {
  let begun = 0;
  let turn: Promise<void> | null = null;
  return {
    /** Null if the request may begin at once, else a promise to await first. */
    begin(): Promise<void> | null {
      if (turn !== null) return turn;
      begun += 1;
      if (begun <= portionMax) return null;
      turn = yieldToEventLoop().then(() => {
        turn = null;
        begun = 0;
      });
      return turn;
    },
  };
}
