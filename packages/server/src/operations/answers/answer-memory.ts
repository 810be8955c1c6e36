import type { AnswerBudget } from "../../connectors/connector-port.ts";

/** Limits the bytes of large answers that all calls together have in memory. */
export type AnswerMemory = { open(userId: string): MemoryReservation };

/** The memory of one call. */
export type MemoryReservation = AnswerBudget & {
  /** Releases all memory of the call. Later requests are not counted. */
  release(): void;
};

export type MemoryLimits = { userBytesMax: number; bytesMax: number };

type Holder = { userId: string; bytes: number; isReleased: boolean };
type Waiter = { holder: Holder; bytes: number; resolve(): void };

/**
 * Shares the memory for large answers between calls. The oldest call may always continue, so that
 * at least one answer is always completed. The oldest call of a user may exceed that user's share.
 * So the total is at most `bytesMax` plus one answer.
 */
export function createAnswerMemory({ userBytesMax, bytesMax }: MemoryLimits): AnswerMemory {
  /** Calls that have or request memory, oldest first. */
  const holders = new Set<Holder>();
  /** Waiting calls of each user, in round-robin order of the users. */
  const waiting = new Map<string, Waiter[]>();
  let total = 0;

  const ofUser = (userId: string) => [...holders].filter((holder) => holder.userId === userId);

  function fits(holder: Holder, bytes: number): boolean {
    const [oldest] = holders;
    if (holder === oldest) return true;
    if (total + bytes > bytesMax) return false;
    const own = ofUser(holder.userId);
    const held = own.reduce((sum, { bytes: each }) => sum + each, 0);
    return holder === own[0] || held + bytes <= userBytesMax;
  }

  function add(holder: Holder, bytes: number): void {
    holder.bytes += bytes;
    total += bytes;
  }

  /** Lets waiting calls continue while there is memory, one call of each user in turn. */
  function serveWaiting(): void {
    for (let isServed = true; isServed; ) {
      isServed = false;
      for (const [userId, waiters] of [...waiting]) {
        const index = waiters.findIndex(({ holder, bytes }) => fits(holder, bytes));
        const [waiter] = index === -1 ? [] : waiters.splice(index, 1);
        if (waiter === undefined) continue;
        waiting.delete(userId);
        if (waiters.length > 0) waiting.set(userId, waiters);
        add(waiter.holder, waiter.bytes);
        waiter.resolve();
        isServed = true;
      }
    }
  }

  return {
    open(userId) {
      const holder: Holder = { userId, bytes: 0, isReleased: false };
      return {
        take(bytes) {
          if (holder.isReleased) return null;
          holders.add(holder);
          if (fits(holder, bytes)) {
            add(holder, bytes);
            return null;
          }
          const { promise, resolve } = Promise.withResolvers<void>();
          const waiters = waiting.get(userId) ?? [];
          waiters.push({ holder, bytes, resolve });
          waiting.set(userId, waiters);
          return promise;
        },
        takeArrived(bytes) {
          if (holder.isReleased) return true;
          holders.add(holder);
          const held = ofUser(userId).reduce((sum, { bytes: each }) => sum + each, 0);
          const isWithinLimits = held + bytes <= 2 * userBytesMax && total + bytes <= bytesMax;
          if (!isWithinLimits && holder !== [...holders][0]) return false;
          add(holder, bytes);
          return true;
        },
        release() {
          holder.isReleased = true;
          if (!holders.delete(holder)) return;
          total -= holder.bytes;
          const waiters = waiting.get(userId) ?? [];
          const others = waiters.filter((waiter) => waiter.holder !== holder);
          for (const waiter of waiters) if (waiter.holder === holder) waiter.resolve();
          if (others.length > 0) waiting.set(userId, others);
          else waiting.delete(userId);
          serveWaiting();
        },
      };
    },
  };
}
