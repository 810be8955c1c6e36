import { appendTo, moveToEnd, removeFrom } from "./linked-list.ts";
import {
  addRunning,
  addWaiting,
  createTurnLines,
  findReplaceable,
  forgetIdle,
  type Line,
  limitNames,
  openQueue,
  type Place,
  type Turn,
  toPath,
} from "./turn-lines.ts";

/** Limits of all together, of each lane, of each area and of each owner; those of owners can differ by lane. None by default. */
export type Limits = {
  total?: number;
  lane?: number;
  area?: number;
  owner?: number | Readonly<Record<string, number>>;
};
export type LimitName = keyof Limits;

/**
 * Decides who is next. The lanes take turns, in a lane the areas, and in an area the owners. Each
 * function takes the same time however many wait, since strangers can invent any number of owners.
 */
export type Turns<Item> = {
  /** Counts one that runs. Null if it must wait, because a limit is reached. */
  begin(place: Place): Line<Item> | null;
  /** Whether one more of this place may run, once those that wait before it do. */
  hasRoom(place: Place): boolean;
  add(place: Place, item: Item): Turn<Item>;
  /** The next that may run, without taking it. */
  findNext(): Turn<Item> | null;
  /** Takes the next that may run. It counts as running until its line is passed to `end`. */
  takeNext(): Turn<Item> | null;
  /** Removes one that waits, or does nothing if it was taken. */
  remove(turn: Turn<Item>): void;
  end(line: Line<Item>): void;
  /**
   * The limit of those that wait, if one more would exceed it, and the one that it may replace. One that
   * may run need not wait, unless `mustWait`.
   */
  findFull(
    place: Place,
    mustWait?: boolean,
  ): { limit: LimitName; replaceable: Turn<Item> | null } | null;
  countRunning(): number;
  countWaiting(): number;
};

export function createTurns<Item>(limits: { atOnce?: Limits; waiting?: Limits } = {}): Turns<Item> {
  return new LimitedTurns(limits.atOnce ?? {}, limits.waiting ?? {});
}

class LimitedTurns<Item> implements Turns<Item> {
  readonly #atOnce: Limits;
  readonly #waiting: Limits;
  readonly #lines = createTurnLines<Item>();

  constructor(atOnce: Limits, waiting: Limits) {
    this.#atOnce = atOnce;
    this.#waiting = waiting;
  }

  begin(place: Place): Line<Item> | null {
    const owner = this.#lines.openOwner(place);
    if (!this.#mayBegin(owner)) {
      forgetIdle(owner);
      return null;
    }
    addRunning(owner, 1);
    this.#updateReady(owner);
    return owner;
  }

  hasRoom(place: Place): boolean {
    const owner = this.#lines.openOwner(place);
    const hasOwnRoom = this.#mayBegin(owner);
    forgetIdle(owner);
    return hasOwnRoom;
  }

  add(place: Place, item: Item): Turn<Item> {
    const line = this.#lines.openOwner(place);
    const turn: Turn<Item> = { item, line, link: null };
    turn.link = appendTo(openQueue(line).turns, turn);
    addWaiting(line, 1);
    this.#updateReady(line);
    return turn;
  }

  findNext(): Turn<Item> | null {
    let line = this.#lines.root;
    if (!this.#isFree(line)) return null;
    for (let first = line.queue?.ready.first; first; first = line.queue?.ready.first) {
      line = first.value;
    }
    return line.queue?.turns.first?.value ?? null;
  }

  takeNext(): Turn<Item> | null {
    const turn = this.findNext();
    if (turn === null) return null;
    let { line } = turn;
    for (; line.parent !== null; line = line.parent) {
      const link = line.queue?.readyLink ?? null;
      // The others have their turns first.
      if (link !== null) moveToEnd(openQueue(line.parent).ready, link);
    }
    addRunning(turn.line, 1);
    this.#removeTurn(turn);
    return turn;
  }

  remove(turn: Turn<Item>): void {
    if (turn.link === null) return;
    this.#removeTurn(turn);
    forgetIdle(turn.line);
  }

  end(line: Line<Item>): void {
    addRunning(line, -1);
    this.#updateReady(line);
    forgetIdle(line);
  }

  findFull(place: Place, mustWait = false): ReturnType<Turns<Item>["findFull"]> {
    const owner = this.#lines.openOwner(place);
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

  #findFullLine(owner: Line<Item>): ReturnType<Turns<Item>["findFull"]> {
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

  /** The line and those above it take turns while they have room and something waits that may run. */
  #updateReady(owner: Line<Item>): void {
    for (let line = owner; line.parent !== null; line = line.parent) {
      if (line.queue === null) continue;
      const { ready } = openQueue(line.parent);
      const { queue } = line;
      if (this.#isFree(line) && queue.turns.size + queue.ready.size > 0) {
        queue.readyLink ??= appendTo(ready, line);
      } else if (queue.readyLink !== null) {
        removeFrom(ready, queue.readyLink);
        queue.readyLink = null;
      }
    }
  }

  #removeTurn(turn: Turn<Item>): void {
    if (turn.link === null) return;
    removeFrom(openQueue(turn.line).turns, turn.link);
    turn.link = null;
    addWaiting(turn.line, -1);
    this.#updateReady(turn.line);
  }
}

function findLimit(limits: Limits, line: Line<unknown>): number {
  const name = limitNames[line.level];
  const limit = name === undefined ? undefined : limits[name];
  if (typeof limit !== "object") return limit ?? Number.POSITIVE_INFINITY;
  const lane = line.parent?.parent?.key ?? "";
  return limit[lane] ?? Number.POSITIVE_INFINITY;
}
