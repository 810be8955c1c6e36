import { HubError } from "../../errors.ts";
import { budgetTable } from "../../lib/budgets/budget-table.ts";

type BodyLimits = {
  /** Limit of all senders together. */
  allBytesMax: number;
  /** Limit of one sender: the budget `bodyBytes`. */
  ownBytesMax: number;
};

/** Bodies arrive within a minute; most within seconds. */
const retryAfterS = 5;

/** The received part of one body. */
export type BodyCounter = {
  /** Throws `rate_limited` if its sender exceeds the limit. */
  add(bytes: number): void;
  /** Stops counting the body: it is complete or was refused. */
  close(): void;
};

export type IncomingBodies = {
  /** Starts to count a body of this sender: a user or a network. */
  open(sender: string): BodyCounter;
};

/**
 * Counts the bytes of incomplete bodies in memory, by sender. Only received bytes count, not
 * Content-Length: otherwise announced bodies could block other senders. If the total limit is
 * exceeded, only senders with more than an equal share are refused.
 */
export function createIncomingBodies({ allBytesMax, ownBytesMax }: BodyLimits): IncomingBodies {
  const bytesOf = new Map<string, number>();
  let allBytes = 0;

  function check(own: number): void {
    const share = allBytesMax / Math.max(bytesOf.size, 1);
    if (own <= ownBytesMax && (allBytes <= allBytesMax || own <= share)) return;
    const limit = own > ownBytesMax ? ownBytesMax : Math.floor(share);
    throw new HubError(
      "rate_limited",
      `Your messages that are being received together have more than ${limit} bytes (${budgetTable.bodyBytes.setting}). Try again in ${retryAfterS} s, and send fewer at once.`,
      { detail: { budget: "bodyBytes", limit, retry_after_s: retryAfterS } },
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
