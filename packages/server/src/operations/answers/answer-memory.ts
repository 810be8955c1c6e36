import type { AnswerBudget } from "../../connectors/connector-port.ts";
import {
  appendTo,
  createLinkedList,
  type Link,
  type LinkedList,
  removeFrom,
} from "../../lib/linked-list.ts";
import type { Turn } from "../../lib/turn-lines.ts";
import { createTurns } from "../../lib/turns.ts";

/** Limits the bytes of large answers that all calls together have in memory. */
export type AnswerMemory = { open(userId: string): MemoryReservation };

/** The memory of one call. */
export type MemoryReservation = AnswerBudget & {
  /** Releases all memory of the call. Later requests are not counted. */
  release(): void;
};

export type MemoryLimits = { userBytesMax: number; bytesMax: number };

/** A call that has or requests memory. */
type Holder = {
  user: User;
  bytes: number;
  /** What it waits for, in its order. */
  waiters: LinkedList<Waiter>;
};

type User = {
  id: string;
  bytes: number;
  /** Calls that have or request memory, oldest first. */
  holders: LinkedList<Holder>;
  /** What its calls wait for, in their order. */
  waiters: LinkedList<Waiter>;
  /** Its place among the users who wait for memory of all. Null if none of its waiters is within its share. */
  turn: Turn<User> | null;
};

type Waiter = {
  holder: Holder;
  bytes: number;
  resolve(): void;
  links: { ofUser: Link<Waiter>; ofHolder: Link<Waiter> } | null;
};

/**
 * Shares the memory for large answers between calls. The oldest call may always continue, so that
 * at least one answer is always completed. The oldest call of a user may exceed that user's share.
 * So the total is at most `bytesMax` plus one answer. No step looks at all calls, because a caller
 * decides how many there are.
 */
export function createAnswerMemory({ userBytesMax, bytesMax }: MemoryLimits): AnswerMemory {
  const users = new Map<string, User>();
  /** Calls that have or request memory, oldest first. */
  const holders = createLinkedList<Holder>();
  /** Users with a waiter that is within their share. */
  const turns = createTurns<User>();
  let total = 0;

  const isOldest = (holder: Holder) => holders.first?.value === holder;

  const isWithinShare = (holder: Holder, bytes: number) =>
    holder.user.holders.first?.value === holder || holder.user.bytes + bytes <= userBytesMax;

  function add(holder: Holder, bytes: number): void {
    holder.bytes += bytes;
    holder.user.bytes += bytes;
    total += bytes;
  }

  function openUser(id: string): User {
    const known = users.get(id);
    if (known !== undefined) return known;
    const made = { id, bytes: 0, holders: createLinkedList<Holder>(), turn: null };
    const user: User = { ...made, waiters: createLinkedList() };
    users.set(id, user);
    return user;
  }

  function openHolder(userId: string) {
    const user = openUser(userId);
    const holder: Holder = { user, bytes: 0, waiters: createLinkedList() };
    return { holder, ofAll: appendTo(holders, holder), ofUser: appendTo(user.holders, holder) };
  }

  function wait(holder: Holder, bytes: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter: Waiter = { holder, bytes, resolve, links: null };
    waiter.links = {
      ofUser: appendTo(holder.user.waiters, waiter),
      ofHolder: appendTo(holder.waiters, waiter),
    };
    takeTurns(holder.user);
    return promise;
  }

  function takeTurns(user: User): void {
    if (findNext(user) !== null) user.turn ??= turns.add({ owner: user.id }, user);
  }

  /** What the user's oldest call waits for, or the first that is within the user's share. */
  function findNext({ holders, waiters }: User): Waiter | null {
    const ofOldest = holders.first?.value.waiters.first?.value;
    const first = ofOldest ?? waiters.first?.value ?? null;
    return first !== null && isWithinShare(first.holder, first.bytes) ? first : null;
  }

  function end(waiter: Waiter): void {
    const { holder, links } = waiter;
    if (links === null) return;
    removeFrom(holder.user.waiters, links.ofUser);
    removeFrom(holder.waiters, links.ofHolder);
    waiter.links = null;
    waiter.resolve();
  }

  function grant(waiter: Waiter): void {
    add(waiter.holder, waiter.bytes);
    end(waiter);
  }

  /** Lets waiting calls continue while there is memory, one call of each user in turn. */
  function serveWaiting(): void {
    const oldest = holders.first?.value.waiters;
    for (let first = oldest?.first; first; first = oldest?.first) grant(first.value);
    for (let turn = turns.findNext(); turn !== null; turn = turns.findNext()) {
      const user = turn.item;
      const next = findNext(user);
      if (next !== null && total + next.bytes > bytesMax) return;
      turns.remove(turn);
      user.turn = null;
      if (next === null) continue;
      grant(next);
      // Behind the other users.
      takeTurns(user);
    }
  }

  function release({ holder, ofAll, ofUser }: ReturnType<typeof openHolder>): void {
    const { user } = holder;
    removeFrom(holders, ofAll);
    removeFrom(user.holders, ofUser);
    user.bytes -= holder.bytes;
    total -= holder.bytes;
    for (let first = holder.waiters.first; first; first = holder.waiters.first) end(first.value);
    takeTurns(user);
    if (user.holders.size === 0) users.delete(user.id);
    serveWaiting();
  }

  return {
    open(userId) {
      let opened: ReturnType<typeof openHolder> | null = null;
      let isReleased = false;
      return {
        take(bytes) {
          if (isReleased) return null;
          opened ??= openHolder(userId);
          const { holder } = opened;
          const fits = isWithinShare(holder, bytes) && total + bytes <= bytesMax;
          if (!fits && !isOldest(holder)) return wait(holder, bytes);
          add(holder, bytes);
          return null;
        },
        takeArrived(bytes) {
          if (isReleased) return true;
          opened ??= openHolder(userId);
          const { holder } = opened;
          const fits = holder.user.bytes + bytes <= 2 * userBytesMax && total + bytes <= bytesMax;
          if (!fits && !isOldest(holder)) return false;
          add(holder, bytes);
          return true;
        },
        release() {
          isReleased = true;
          if (opened !== null) release(opened);
          opened = null;
        },
      };
    },
  };
}
