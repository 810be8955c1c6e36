import { appendTo, moveToEnd, removeFrom } from "./linked-list.ts";
import {
  addRunning,
  addWaiting,
  createLines,
  findReplaceable,
  forgetIdle,
  type LaneEntry,
  type Line,
  limitNames,
  openQueue,
  type QueueKey,
  toPath,
} from "./semaphore-lanes.ts";

/** Limits of all together, of each lane, of each area and of each owner; those of owners can differ by lane. None by default. */
export type Limits = {
  total?: number;
  lane?: number;
  area?: number;
  owner?: number | Readonly<Record<string, number>>;
};
export type LimitName = keyof Limits;

/**
 * Decides who is next. Round-robin: between the lanes, in a lane between the areas, and in an area between the owners. Each
 * function takes the same time however many wait, since strangers can invent any number of owners.
 */
export type Lanes<Item> = {
  /** Counts one that runs. Null if it must wait, because a limit is reached. */
  begin(queueKey: QueueKey): Line<Item> | null;
  /** Whether one more with this key may run, once those that wait before it do. */
  hasCapacity(queueKey: QueueKey): boolean;
  add(queueKey: QueueKey, item: Item): LaneEntry<Item>;
  /** The next that may run, without taking it. */
  findNext(): LaneEntry<Item> | null;
  /** Takes the next that may run. It counts as running until its line is passed to `end`. */
  takeNext(): LaneEntry<Item> | null;
  /** Removes one that waits, or does nothing if it was taken. */
  remove(entry: LaneEntry<Item>): void;
  end(line: Line<Item>): void;
  /**
   * The limit of those that wait, if one more would exceed it, and the one that it may replace. One that
   * may run need not wait, unless `mustWait`.
   */
  findFull(
    queueKey: QueueKey,
    mustWait?: boolean,
  ): { limit: LimitName; replaceable: LaneEntry<Item> | null } | null;
  countRunning(): number;
  countWaiting(): number;
};

export function createLanes<Item>(limits: { atOnce?: Limits; waiting?: Limits } = {}): Lanes<Item> {
  return new LimitedLanes(limits.atOnce ?? {}, limits.waiting ?? {});
}

class LimitedLanes<Item> implements Lanes<Item> {
  readonly #atOnce: Limits;
  readonly #waiting: Limits;
  /** While fewer wait in all, no line is full. */
  readonly #fewestWaiting: number;
  readonly #lines = createLines<Item>();

  constructor(atOnce: Limits, waiting: Limits) {
    this.#atOnce = atOnce;
    this.#waiting = waiting;
    this.#fewestWaiting = findFewest(waiting);
  }

  begin(queueKey: QueueKey): Line<Item> | null {
    const owner = this.#lines.openOwner(queueKey);
    if (!this.#mayBegin(owner)) {
      forgetIdle(owner);
      return null;
    }
    addRunning(owner, 1);
    this.#updateReady(owner);
    return owner;
  }

  hasCapacity(queueKey: QueueKey): boolean {
    const owner = this.#lines.openOwner(queueKey);
    const hasOwnCapacity = this.#mayBegin(owner);
    forgetIdle(owner);
    return hasOwnCapacity;
  }

  add(queueKey: QueueKey, item: Item): LaneEntry<Item> {
    const line = this.#lines.openOwner(queueKey);
    const entry: LaneEntry<Item> = { item, line, link: null };
    entry.link = appendTo(openQueue(line).entries, entry);
    addWaiting(line, 1);
    this.#updateReady(line);
    return entry;
  }

  findNext(): LaneEntry<Item> | null {
    let line = this.#lines.root;
    if (!this.#isFree(line)) return null;
    for (let first = line.queue?.ready.first; first; first = line.queue?.ready.first) {
      line = first.value;
    }
    return line.queue?.entries.first?.value ?? null;
  }

  takeNext(): LaneEntry<Item> | null {
    const entry = this.findNext();
    if (entry === null) return null;
    let { line } = entry;
    for (; line.parent !== null; line = line.parent) {
      const link = line.queue?.readyLink ?? null;
      // The others are served first.
      if (link !== null) moveToEnd(openQueue(line.parent).ready, link);
    }
    addRunning(entry.line, 1);
    this.#removeEntry(entry);
    return entry;
  }

  remove(entry: LaneEntry<Item>): void {
    if (entry.link === null) return;
    this.#removeEntry(entry);
    forgetIdle(entry.line);
  }

  end(line: Line<Item>): void {
    addRunning(line, -1);
    this.#updateReady(line);
    forgetIdle(line);
  }

  findFull(queueKey: QueueKey, mustWait = false): ReturnType<Lanes<Item>["findFull"]> {
    // Most newcomers end here.
    if (this.#lines.root.waiting < this.#fewestWaiting) return null;
    const owner = this.#lines.openOwner(queueKey);
    const found = !mustWait && this.#mayBegin(owner) ? null : this.#findFullLine(owner);
    forgetIdle(owner);
    return found;
  }

  countRunning(): number {
    return this.#lines.root.running;
  }

  countWaiting(): number {
    return this.#lines.root.waiting;
  }

  #findFullLine(owner: Line<Item>): ReturnType<Lanes<Item>["findFull"]> {
    const full = toPath(owner).findLast((line) => line.waiting >= findLimit(this.#waiting, line));
    const limit = limitNames[full?.level ?? -1];
    if (full === undefined || limit === undefined) return null;
    return { limit, replaceable: findReplaceable(full, owner) };
  }

  #isFree(line: Line<Item>): boolean {
    return line.running < findLimit(this.#atOnce, line);
  }

  #mayBegin(owner: Line<Item>): boolean {
    for (let line: Line<Item> | null = owner; line !== null; line = line.parent) {
      if (!this.#isFree(line)) return false;
    }
    return true;
  }

  /** The line and those above it are served while they have capacity and something waits that may run. */
  #updateReady(owner: Line<Item>): void {
    for (let line = owner; line.parent !== null; line = line.parent) {
      if (line.queue === null) continue;
      const { ready } = openQueue(line.parent);
      const { queue } = line;
      if (this.#isFree(line) && queue.entries.size + queue.ready.size > 0) {
        queue.readyLink ??= appendTo(ready, line);
      } else if (queue.readyLink !== null) {
        removeFrom(ready, queue.readyLink);
        queue.readyLink = null;
      }
    }
  }

  #removeEntry(entry: LaneEntry<Item>): void {
    if (entry.link === null) return;
    removeFrom(openQueue(entry.line).entries, entry.link);
    entry.link = null;
    addWaiting(entry.line, -1);
    this.#updateReady(entry.line);
  }
}

function findFewest({ owner, ...others }: Limits): number {
  const ofOwners = typeof owner === "object" ? Object.values(owner) : [owner];
  const all = [...Object.values(others), ...ofOwners];
  return Math.min(...all.map((limit) => limit ?? Number.POSITIVE_INFINITY));
}

function findLimit(limits: Limits, line: Line<unknown>): number {
  const name = limitNames[line.level];
  const limit = name === undefined ? undefined : limits[name];
  if (typeof limit !== "object") return limit ?? Number.POSITIVE_INFINITY;
  const lane = line.parent?.parent?.key ?? "";
  return limit[lane] ?? Number.POSITIVE_INFINITY;
}
