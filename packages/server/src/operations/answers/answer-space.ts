import type { AnswerBudget } from "../../connectors/connector-port.ts";

/** The bytes of large answers that calls hold at the same time. */
export type AnswerSpaces = { open(userId: string): AnswerSpace };

/** What one call holds. */
export type AnswerSpace = AnswerBudget & {
  /** Gives everything back. What is asked for afterwards is not counted. */
  release(): void;
};

export type SpaceLimits = { userBytesMax: number; bytesMax: number };

type Holder = { userId: string; bytes: number; isReleased: boolean };
type Waiter = { holder: Holder; bytes: number; resolve(): void };

/**
 * Shares out the memory for large answers. The oldest call of all may always go on, so somewhere an
 * answer is always completed; the oldest of a user may go beyond that user's share. So at most
 * `bytesMax` and one more answer are held.
 */
export function createAnswerSpaces({ userBytesMax, bytesMax }: SpaceLimits): AnswerSpaces {
  /** Those that hold or want something, oldest first. */
  const holders = new Set<Holder>();
  /** By user, in the order in which the users have their turns. */
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

  /** Lets waiting calls go on, one of each user in turn, as long as there is room. */
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
        takeNow(bytes) {
          if (holder.isReleased) return true;
          holders.add(holder);
          const held = ofUser(userId).reduce((sum, { bytes: each }) => sum + each, 0);
          const isRoom = held + bytes <= 2 * userBytesMax && total + bytes <= bytesMax;
          if (!isRoom && holder !== [...holders][0]) return false;
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
