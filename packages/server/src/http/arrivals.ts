import { HubError } from "../errors.ts";

type ArrivalLimits = {
  /** Of all senders together. */
  allBytesMax: number;
  /** Of one sender. */
  ownBytesMax: number;
};

/** What one body has brought so far. */
export type Arrival = {
  /** Throws `rate_limited` when its sender has too much on the way. */
  add(bytes: number): void;
  /** The body is whole, or was given up: it counts no more. */
  close(): void;
};

export type Arrivals = {
  /** Counts a body of this sender: a user, or an address. */
  open(sender: string): Arrival;
};

/**
 * Counts the bytes in memory of bodies that are not whole yet, by sender. Only what has arrived
 * counts: an announcement costs its sender nothing, so many of them must keep nobody out. When all
 * together have too much, those with more than an equal share get no more, and the others do.
 */
export function createArrivals({ allBytesMax, ownBytesMax }: ArrivalLimits): Arrivals {
  const bytesOf = new Map<string, number>();
  let allBytes = 0;

  function check(own: number): void {
    const share = allBytesMax / Math.max(bytesOf.size, 1);
    if (own <= ownBytesMax && (allBytes <= allBytesMax || own <= share)) return;
    throw new HubError(
      "rate_limited",
      "Too many large messages are on their way at once; try again in a while.",
    );
  }

  function change(sender: string, bytes: number): number {
    allBytes += bytes;
    const own = (bytesOf.get(sender) ?? 0) + bytes;
    if (own === 0) bytesOf.delete(sender);
    else bytesOf.set(sender, own);
    return own;
  }

  return {
    open(sender) {
      let arrived = 0;
      let isClosed = false;
      return {
        add(bytes) {
          if (isClosed) return;
          arrived += bytes;
          check(change(sender, bytes));
        },
        close() {
          if (!isClosed) change(sender, -arrived);
          isClosed = true;
        },
      };
    },
  };
}
