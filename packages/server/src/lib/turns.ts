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
  const { atOnce = {}, waiting = {} } = limits;
  const { root, openOwner } = createTurnLines<Item>();

  const hasRoom = (line: Line<Item>) => line.running < findLimit(atOnce, line);
  const isFull = (line: Line<Item>) => line.waiting >= findLimit(waiting, line);

  function mayBegin(owner: Line<Item>): boolean {
    for (let line: Line<Item> | null = owner; line !== null; line = line.parent) {
      if (!hasRoom(line)) return false;
    }
    return true;
  }

  /** The line and those above it take turns while they have room and something waits that may run. */
  function updateReady(owner: Line<Item>): void {
    for (let line = owner; line.parent !== null; line = line.parent) {
      if (line.queue === null) continue;
      const { ready } = openQueue(line.parent);
      const { queue } = line;
      if (hasRoom(line) && queue.turns.size + queue.ready.size > 0) {
        queue.readyLink ??= appendTo(ready, line);
      } else if (queue.readyLink !== null) {
        removeFrom(ready, queue.readyLink);
        queue.readyLink = null;
      }
    }
  }

  function removeTurn(turn: Turn<Item>): void {
    if (turn.link === null) return;
    removeFrom(openQueue(turn.line).turns, turn.link);
    turn.link = null;
    addWaiting(turn.line, -1);
    updateReady(turn.line);
  }

  function findNext(): Turn<Item> | null {
    if (!hasRoom(root)) return null;
    let line = root;
    for (let first = line.queue?.ready.first; first; first = line.queue?.ready.first) {
      line = first.value;
    }
    return line.queue?.turns.first?.value ?? null;
  }

  return {
    begin(place) {
      const owner = openOwner(place);
      if (!mayBegin(owner)) {
        forgetIdle(owner);
        return null;
      }
      addRunning(owner, 1);
      updateReady(owner);
      return owner;
    },
    hasRoom(place) {
      const owner = openOwner(place);
      const hasOwnRoom = mayBegin(owner);
      forgetIdle(owner);
      return hasOwnRoom;
    },
    add(place, item) {
      const line = openOwner(place);
      const turn: Turn<Item> = { item, line, link: null };
      turn.link = appendTo(openQueue(line).turns, turn);
      addWaiting(line, 1);
      updateReady(line);
      return turn;
    },
    findNext,
    takeNext() {
      const turn = findNext();
      if (turn === null) return null;
      let { line } = turn;
      for (; line.parent !== null; line = line.parent) {
        const link = line.queue?.readyLink ?? null;
        // The others have their turns first.
        if (link !== null) moveToEnd(openQueue(line.parent).ready, link);
      }
      addRunning(turn.line, 1);
      removeTurn(turn);
      return turn;
    },
    remove(turn) {
      if (turn.link === null) return;
      removeTurn(turn);
      forgetIdle(turn.line);
    },
    end(line) {
      addRunning(line, -1);
      updateReady(line);
      forgetIdle(line);
    },
    findFull(place, mustWait = false) {
      const owner = openOwner(place);
      const needsNoRoom = !mustWait && mayBegin(owner);
      const full = needsNoRoom ? undefined : toPath(owner).findLast(isFull);
      const limit = limitNames[full?.level ?? -1];
      const found =
        full === undefined || limit === undefined
          ? null
          : { limit, replaceable: findReplaceable(full, owner) };
      forgetIdle(owner);
      return found;
    },
    countRunning: () => root.running,
    countWaiting: () => root.waiting,
  };
}

function findLimit(limits: Limits, line: Line<unknown>): number {
  const name = limitNames[line.level];
  const limit = name === undefined ? undefined : limits[name];
  if (typeof limit !== "object") return limit ?? Number.POSITIVE_INFINITY;
  const lane = line.parent?.parent?.key ?? "";
  return limit[lane] ?? Number.POSITIVE_INFINITY;
}
