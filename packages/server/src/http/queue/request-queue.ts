import { HubError } from "../../errors.ts";
import { createLanes } from "../../lib/queues/fair-semaphore.ts";
import type { LaneEntry, Line, QueueKey } from "../../lib/queues/semaphore-lanes.ts";
import { systemTimers, type Timers } from "../../lib/time/timers.ts";

/** Users and strangers are served round-robin. */
export type RequestQueueKey = QueueKey & { lane: "users" | "strangers" };

/**
 * The requests of all doors. They are served round-robin on the event loop, by user or by the area and network of a
 * stranger, so that the many requests of one sender wait for each other.
 */
export type RequestQueue = {
  /**
   * For work that waits for nothing. Returns null if it may begin at once, else a promise to await first.
   * `signal` is asked for only if the request waits. Rejects with `rate_limited` if too many wait, and
   * with `cancelled` if the client leaves.
   */
  waitForLane(queueKey: RequestQueueKey, signal: () => AbortSignal): Promise<void> | null;
  /** The same for work that also waits for the database. The function ends it. */
  enter(queueKey: RequestQueueKey, signal: () => AbortSignal): Promise<() => void>;
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
/** While turns take less than that, a request that waits for this many is not watched for the end of its client. */
const shortTurns = 8;
/** Beyond this, a request waits for others. It keeps no permit from those who wait. */
const permitMsMax = 1_000;
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
  return new LoopQueue({ timers, readMs, nextTurn });
}

class LoopQueue implements RequestQueue {
  readonly #deps: Required<QueueDeps>;
  readonly #lanes = createLanes<Waiting>({ atOnce, waiting: waitingMax });
  /** The oldest first. */
  readonly #running = new Set<Held>();
  #portionEndsAt = Number.NEGATIVE_INFINITY;
  #begins = 1;
  #isWoken = false;
  #isSweeping = false;
  /** Made once: many requests wait. */
  readonly #endLine = (line: Line<Waiting>) => this.#lanes.end(line);

  constructor(deps: Required<QueueDeps>) {
    this.#deps = deps;
  }

  waitForLane(queueKey: RequestQueueKey, signal: () => AbortSignal): Promise<void> | null {
    if (this.#mayBegin()) return null;
    return this.#wait(queueKey, signal).then(this.#endLine);
  }

  async enter(queueKey: RequestQueueKey, signal: () => AbortSignal): Promise<() => void> {
    const line = this.#mayBegin() ? this.#lanes.begin(queueKey) : null;
    return this.#hold(line ?? (await this.#wait(queueKey, signal)));
  }

  countRunning(): number {
    return this.#lanes.countRunning();
  }

  countWaiting(): number {
    return this.#lanes.countWaiting();
  }

  /** When others wait, no newcomer overtakes. */
  #mayBegin(): boolean {
    return this.#lanes.countWaiting() === 0 && this.#deps.readMs() < this.#portionEndsAt;
  }

  #wait(queueKey: RequestQueueKey, toSignal: () => AbortSignal): Promise<Line<Waiting>> {
    if (!this.#freeCapacity(queueKey)) return Promise.reject(refuse());
    const { promise, resolve, reject } = Promise.withResolvers<Line<Waiting>>();
    // A request that begins in one of the next turns needs no signal, which is expensive to make.
    const isShort = this.#lanes.countWaiting() < this.#soon() && this.#lanes.hasCapacity(queueKey);
    const entry: LaneEntry<Waiting> = this.#lanes.add(queueKey, { begin: resolve, refuse: reject });
    this.#wake();
    if (isShort) return promise;
    const cancelEntry = () => {
      this.#lanes.remove(entry);
      reject(toGone());
    };
    const signal = toSignal();
    if (signal.aborted) cancelEntry();
    signal.addEventListener("abort", cancelEntry, { once: true });
    return promise.finally(() => signal.removeEventListener("abort", cancelEntry));
  }

  /** How many requests begin in a few milliseconds: those of one turn, or of several while turns are short. */
  #soon(): number {
    return this.#begins < beginsMax ? beginsMax : beginsMax * shortTurns;
  }

  /** Returns false if too many wait. */
  #freeCapacity(queueKey: RequestQueueKey): boolean {
    const full = this.#lanes.findFull(queueKey, true);
    if (full === null) return true;
    if (full.replaceable === null) return false;
    this.#lanes.remove(full.replaceable);
    full.replaceable.item.refuse(refuse());
    return true;
  }

  /**
   * Few requests begin in each turn of the event loop, since they work after this function returns. Those
   * that have arrived meanwhile take part.
   */
  #wake(): void {
    if (this.#isWoken || this.#lanes.countWaiting() === 0) return;
    this.#isWoken = true;
    const wokenAt = this.#deps.readMs();
    this.#deps.nextTurn(() => this.#beginPortion(wokenAt));
  }

  #beginPortion(wokenAt: number): void {
    this.#isWoken = false;
    const startsAt = this.#deps.readMs();
    this.#portionEndsAt = startsAt + portionMs;
    this.#begins = startsAt - wokenAt < shortMs ? Math.min(this.#begins * 2, beginsMax) : 1;
    for (let begun = 0; begun < this.#begins; begun += 1) {
      const next = this.#lanes.takeNext();
      if (next === null) {
        this.#sweepLater();
        return;
      }
      next.item.begin(next.line);
    }
    this.#wake();
  }

  /** All who wait do so for requests of their own sender. */
  #sweepLater(): void {
    if (this.#isSweeping || this.#lanes.countWaiting() === 0) return;
    this.#isSweeping = true;
    this.#deps.timers.after(sweepMs, () => this.#sweep());
  }

  #sweep(): void {
    this.#isSweeping = false;
    const before = this.#deps.readMs() - permitMsMax;
    for (const held of this.#running) {
      if (held.since > before) break;
      this.#release(held);
    }
    this.#sweepLater();
  }

  #hold(line: Line<Waiting>): () => void {
    const held = { line, since: this.#deps.readMs() };
    this.#running.add(held);
    return () => this.#release(held);
  }

  #release(held: Held): void {
    if (!this.#running.delete(held)) return;
    this.#lanes.end(held.line);
    this.#wake();
  }
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
