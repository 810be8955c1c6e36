import { HubError } from "../errors.ts";
import { systemTimers, type Timers } from "../lib/timers.ts";
import type { Line, Place, Turn } from "../lib/turn-lines.ts";
import { createTurns } from "../lib/turns.ts";

/** Users and strangers take turns. */
export type RequestPlace = Place & { lane: "users" | "strangers" };

/**
 * The requests of all doors. They take turns on the event loop, by user or by the area and network of a
 * stranger, so that the many requests of one sender wait for each other.
 */
export type RequestQueue = {
  /**
   * For work that waits for nothing. Returns null if it may begin at once, else a promise to await first.
   * `signal` is asked for only if the request waits. Rejects with `rate_limited` if too many wait, and
   * with `cancelled` if the client leaves.
   */
  takeTurn(place: RequestPlace, signal: () => AbortSignal): Promise<void> | null;
  /** The same for work that also waits for the database. The function ends it. */
  enter(place: RequestPlace, signal: () => AbortSignal): Promise<() => void>;
  countRunning(): number;
  countWaiting(): number;
};

type QueueDeps = {
  timers?: Timers;
  /** A clock for durations. */
  readMs?: () => number;
  /** Calls back in the next turn of the event loop, in which other requests have arrived. */
  nextTurn?: (action: () => void) => void;
};

/** Requests begin for this long, then the event loop has a turn. Far above what most requests need. */
const portionMs = 20;
/** Of requests that need little time, this many begin in one turn. */
const beginsMax = 4;
const shortMs = 1;
/** Beyond this, a request waits for others. It keeps no place from those who wait. */
const placeMsMax = 1_000;
const sweepMs = 250;
/** Webhooks wait for the disk, on which those that wait together are stored together. */
const ownerAtOnce = { users: 8, strangers: 32 };
const atOnce = { total: 64, lane: 48, owner: ownerAtOnce };
const waitingMax = { total: 10_000, lane: 8_000, owner: 1_000 };

type Waiting = { begin(line: Line<Waiting>): void; refuse(reason: Error): void };
type Held = { line: Line<Waiting>; since: number };

export function createRequestQueue({
  timers = systemTimers,
  readMs = () => performance.now(),
  nextTurn = (action) => void setImmediate(action),
}: QueueDeps = {}): RequestQueue {
  const turns = createTurns<Waiting>({ atOnce, waiting: waitingMax });
  /** The oldest first. */
  const running = new Set<Held>();
  let portionEndsAt = Number.NEGATIVE_INFINITY;
  let begins = 1;
  let isWoken = false;
  let isSweeping = false;

  /** When others wait, no newcomer overtakes. */
  const mayBegin = () => turns.countWaiting() === 0 && readMs() < portionEndsAt;

  /**
   * Few requests begin in each turn of the event loop, since they work after this function returns. Those
   * that have arrived meanwhile take part.
   */
  function wake(): void {
    if (isWoken || turns.countWaiting() === 0) return;
    isWoken = true;
    const wokenAt = readMs();
    nextTurn(() => {
      isWoken = false;
      const startsAt = readMs();
      portionEndsAt = startsAt + portionMs;
      begins = startsAt - wokenAt < shortMs ? Math.min(begins * 2, beginsMax) : 1;
      for (let begun = 0; begun < begins; begun += 1) {
        const next = turns.takeNext();
        if (next === null) return sweepLater();
        next.item.begin(next.line);
      }
      wake();
    });
  }

  /** All who wait do so for requests of their own sender. */
  function sweepLater(): void {
    if (isSweeping || turns.countWaiting() === 0) return;
    isSweeping = true;
    timers.after(sweepMs, () => {
      isSweeping = false;
      const before = readMs() - placeMsMax;
      for (const held of running) {
        if (held.since > before) break;
        leave(held);
      }
      sweepLater();
    });
  }

  function hold(line: Line<Waiting>): () => void {
    const held = { line, since: readMs() };
    running.add(held);
    return () => leave(held);
  }

  function leave(held: Held): void {
    if (!running.delete(held)) return;
    turns.end(held.line);
    wake();
  }

  function makeRoom(place: RequestPlace): void {
    const full = turns.findFull(place, true);
    if (full === null) return;
    if (full.replaceable === null) throw refuse();
    turns.remove(full.replaceable);
    full.replaceable.item.refuse(refuse());
  }

  async function wait(place: RequestPlace, toSignal: () => AbortSignal): Promise<Line<Waiting>> {
    makeRoom(place);
    const { promise, resolve, reject } = Promise.withResolvers<Line<Waiting>>();
    // A request that begins in one of the next turns needs no signal, which is expensive to make.
    const isShort = turns.countWaiting() < beginsMax && turns.hasRoom(place);
    const turn: Turn<Waiting> = turns.add(place, { begin: resolve, refuse: reject });
    wake();
    if (isShort) return await promise;
    const leaveLine = () => {
      turns.remove(turn);
      reject(toGone());
    };
    const signal = toSignal();
    if (signal.aborted) leaveLine();
    signal.addEventListener("abort", leaveLine, { once: true });
    return await promise.finally(() => signal.removeEventListener("abort", leaveLine));
  }

  return {
    takeTurn(place, signal) {
      if (mayBegin()) return null;
      return wait(place, signal).then(turns.end);
    },
    async enter(place, signal) {
      const line = mayBegin() ? turns.begin(place) : null;
      return hold(line ?? (await wait(place, signal)));
    },
    countRunning: turns.countRunning,
    countWaiting: turns.countWaiting,
  };
}

function refuse(): HubError {
  const waitS = 5;
  return new HubError(
    "rate_limited",
    `Too many of your requests are waiting. Send it again in ${waitS} s, and fewer at once.`,
    { detail: { retry_after_s: waitS } },
  );
}

function toGone(): HubError {
  return new HubError("cancelled", "The client has left before its request began.");
}
