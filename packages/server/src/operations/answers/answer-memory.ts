import type { AnswerBudget } from "../../connectors/connector-port.ts";
import { createLanes } from "../../lib/queues/fair-semaphore.ts";
import {
  appendTo,
  createLinkedList,
  type Link,
  type LinkedList,
  removeFrom,
} from "../../lib/queues/linked-list.ts";
import type { LaneEntry } from "../../lib/queues/semaphore-lanes.ts";

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
  entry: LaneEntry<User> | null;
};

type Waiter = {
  holder: Holder;
  bytes: number;
  resolve(): void;
  links: { ofUser: Link<Waiter>; ofHolder: Link<Waiter> } | null;
};

type OpenedHolder = { holder: Holder; ofAll: Link<Holder>; ofUser: Link<Holder> };

/** Creates the memory that all calls share. */
export function createAnswerMemory(limits: MemoryLimits): AnswerMemory {
  const memory = new SharedMemory(limits);
  return { open: (userId) => new CallMemory(memory, userId) };
}

/** The memory of one call, which has a place among the others from its first request. */
class CallMemory implements MemoryReservation {
  readonly #memory: SharedMemory;
  readonly #userId: string;
  #opened: OpenedHolder | null = null;
  #isReleased = false;

  constructor(memory: SharedMemory, userId: string) {
    this.#memory = memory;
    this.#userId = userId;
  }

  take(bytes: number): Promise<void> | null {
    return this.#isReleased ? null : this.#memory.take(this.#open(), bytes);
  }

  takeArrived(bytes: number): boolean {
    return this.#isReleased || this.#memory.takeArrived(this.#open(), bytes);
  }

  release(): void {
    this.#isReleased = true;
    if (this.#opened !== null) this.#memory.release(this.#opened);
    this.#opened = null;
  }

  #open(): Holder {
    this.#opened ??= this.#memory.openHolder(this.#userId);
    return this.#opened.holder;
  }
}

/**
 * Shares the memory for large answers between calls. The oldest call may always continue, so that
 * at least one answer is always completed. The oldest call of a user may exceed that user's share.
 * So the total is at most `bytesMax` plus one answer. No step looks at all calls, because a caller
 * decides how many there are.
 */
class SharedMemory {
  readonly #limits: MemoryLimits;
  readonly #users = new Map<string, User>();
  /** Calls that have or request memory, oldest first. */
  readonly #holders = createLinkedList<Holder>();
  /** Users with a waiter that is within their share. */
  readonly #lanes = createLanes<User>();
  #total = 0;

  constructor(limits: MemoryLimits) {
    this.#limits = limits;
  }

  openHolder(userId: string): OpenedHolder {
    const user = this.#openUser(userId);
    const holder: Holder = { user, bytes: 0, waiters: createLinkedList() };
    return {
      holder,
      ofAll: appendTo(this.#holders, holder),
      ofUser: appendTo(user.holders, holder),
    };
  }

  /** Null if the call has the memory now. */
  take(holder: Holder, bytes: number): Promise<void> | null {
    const fits = this.#isWithinShare(holder, bytes) && this.#total + bytes <= this.#limits.bytesMax;
    if (!fits && !this.#isOldest(holder)) return this.#wait(holder, bytes);
    this.#add(holder, bytes);
    return null;
  }

  /** For what has arrived already: false if it is too much. */
  takeArrived(holder: Holder, bytes: number): boolean {
    const { userBytesMax, bytesMax } = this.#limits;
    const fits = holder.user.bytes + bytes <= 2 * userBytesMax && this.#total + bytes <= bytesMax;
    if (!fits && !this.#isOldest(holder)) return false;
    this.#add(holder, bytes);
    return true;
  }

  release({ holder, ofAll, ofUser }: OpenedHolder): void {
    const { user } = holder;
    removeFrom(this.#holders, ofAll);
    removeFrom(user.holders, ofUser);
    user.bytes -= holder.bytes;
    this.#total -= holder.bytes;
    for (let first = holder.waiters.first; first; first = holder.waiters.first)
      this.#end(first.value);
    this.#enterLane(user);
    if (user.holders.size === 0) this.#users.delete(user.id);
    this.#serveWaiting();
  }

  #isOldest(holder: Holder): boolean {
    return this.#holders.first?.value === holder;
  }

  #isWithinShare(holder: Holder, bytes: number): boolean {
    const { user } = holder;
    return user.holders.first?.value === holder || user.bytes + bytes <= this.#limits.userBytesMax;
  }

  #add(holder: Holder, bytes: number): void {
    holder.bytes += bytes;
    holder.user.bytes += bytes;
    this.#total += bytes;
  }

  #openUser(id: string): User {
    const known = this.#users.get(id);
    if (known !== undefined) return known;
    const made = { id, bytes: 0, holders: createLinkedList<Holder>(), entry: null };
    const user: User = { ...made, waiters: createLinkedList() };
    this.#users.set(id, user);
    return user;
  }

  #wait(holder: Holder, bytes: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const waiter: Waiter = { holder, bytes, resolve, links: null };
    waiter.links = {
      ofUser: appendTo(holder.user.waiters, waiter),
      ofHolder: appendTo(holder.waiters, waiter),
    };
    this.#enterLane(holder.user);
    return promise;
  }

  #enterLane(user: User): void {
    if (this.#findNext(user) !== null) user.entry ??= this.#lanes.add({ owner: user.id }, user);
  }

  /** What the user's oldest call waits for, or the first that is within the user's share. */
  #findNext({ holders, waiters }: User): Waiter | null {
    const ofOldest = holders.first?.value.waiters.first?.value;
    const first = ofOldest ?? waiters.first?.value ?? null;
    return first !== null && this.#isWithinShare(first.holder, first.bytes) ? first : null;
  }

  #end(waiter: Waiter): void {
    const { holder, links } = waiter;
    if (links === null) return;
    removeFrom(holder.user.waiters, links.ofUser);
    removeFrom(holder.waiters, links.ofHolder);
    waiter.links = null;
    waiter.resolve();
  }

  #grant(waiter: Waiter): void {
    this.#add(waiter.holder, waiter.bytes);
    this.#end(waiter);
  }

  /** Lets waiting calls continue while there is memory, round-robin between the users. */
  #serveWaiting(): void {
    const oldest = this.#holders.first?.value.waiters;
    for (let first = oldest?.first; first; first = oldest?.first) this.#grant(first.value);
    for (let entry = this.#lanes.findNext(); entry !== null; entry = this.#lanes.findNext()) {
      const user = entry.item;
      const next = this.#findNext(user);
      if (next !== null && this.#total + next.bytes > this.#limits.bytesMax) return;
      this.#lanes.remove(entry);
      user.entry = null;
      if (next === null) continue;
      this.#grant(next);
      // Behind the other users.
      this.#enterLane(user);
    }
  }
}
