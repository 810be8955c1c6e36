import { HubError } from "../../errors.ts";

/** Event streams and exports that are open now. Each keeps a connection, and reads rights and data again and again. */
export type OpenStreams = {
  /**
   * Counts one more stream of a user; the returned function ends it. Throws `rate_limited` if the user has
   * too many.
   */
  open(userId: string): () => void;
};

/** More than an honest user has pages and clients that follow runs, and exports. */
export const streamsOfUserMax = 32;

export function createOpenStreams(): OpenStreams {
  const counts = new Map<string, number>();
  return {
    open(userId) {
      const count = counts.get(userId) ?? 0;
      if (count >= streamsOfUserMax) {
        throw new HubError(
          "rate_limited",
          `You have ${streamsOfUserMax} event streams and exports open, which is the maximum. Close one, or ask for events without Accept: text/event-stream.`,
        );
      }
      counts.set(userId, count + 1);
      let isOpen = true;
      return () => {
        if (!isOpen) return;
        isOpen = false;
        const rest = (counts.get(userId) ?? 1) - 1;
        if (rest === 0) counts.delete(userId);
        else counts.set(userId, rest);
      };
    },
  };
}
