import { HubError } from "../errors.ts";
import type { Timers } from "../lib/timers.ts";

/** A request for a slot of the queue. Each caller has a separate list of requests. */
export type QueueRequest = {
  /** A network, or the account of a known user. */
  caller: string;
  /**
   * A group of callers that one sender may control, such as the networks of one provider; else the
   * caller.
   */
  area?: string;
  /** From a known browser or a signed-in user: strangers do not delay these requests. */
  isKnown: boolean;
};

type QueueDeps = {
  timers: Timers;
  /** While others wait, a pause of this many times the duration follows each task. */
  pausePerTask: number;
  /** Limit of strangers; known callers have the same limit again. */
  waitingMax: number;
  waitingPerCallerMax: number;
};

type Waiting = { go: () => void; refuse: (reason: HubError) => void };
type Lane = Map<string, { area: string; waiting: Waiting[] }>;

/**
 * Runs one task at a time. Callers take turns, and so do strangers and known callers: the many
 * requests of one caller wait for each other, and other callers wait for only one of them. If the
 * queue is full, a new request replaces one of the area with the most requests, so that no sender
 * can fill the queue.
 */
export function createFairQueue(deps: QueueDeps) {
  const { timers, pausePerTask, waitingMax, waitingPerCallerMax } = deps;
  const lanes: { known: Lane; strangers: Lane } = { known: new Map(), strangers: new Map() };
  let isBusy = false;
  let wasKnown = false;

  const toLane = ({ isKnown }: QueueRequest) => (isKnown ? lanes.known : lanes.strangers);

  /** Throws `rate_limited` if too many requests wait. */
  function checkCapacity(request: QueueRequest): void {
    if (!isBusy) return;
    const lane = toLane(request);
    const own = lane.get(request.caller)?.waiting.length ?? 0;
    if (own >= waitingPerCallerMax) {
      throw new HubError(
        "rate_limited",
        "Too many sign-ins from your network are waiting. Try again in a few seconds.",
      );
    }
    if (isFull(lane) && findLargestCaller(lane, toArea(request)) === null) throw toQueueFull();
  }

  const isFull = (lane: Lane) =>
    [...lane.values()].reduce((sum, { waiting }) => sum + waiting.length, 0) >= waitingMax;

  function wait(request: QueueRequest): Promise<void> {
    const lane = toLane(request);
    if (isFull(lane)) {
      const largest = findLargestCaller(lane, toArea(request));
      const last = largest === null ? undefined : lane.get(largest)?.waiting.pop();
      if (largest !== null && lane.get(largest)?.waiting.length === 0) lane.delete(largest);
      last?.refuse(toQueueFull());
    }
    return new Promise((go, refuse) => {
      const before = lane.get(request.caller)?.waiting ?? [];
      lane.set(request.caller, { area: toArea(request), waiting: [...before, { go, refuse }] });
    });
  }

  /** The first caller's next request; the caller moves to the end of the lane. */
  function shift(lane: Lane): (() => void) | null {
    const [first] = lane;
    if (first === undefined) return null;
    const [caller, { area, waiting }] = first;
    const [next, ...more] = waiting;
    lane.delete(caller);
    if (more.length > 0) lane.set(caller, { area, waiting: more });
    return next?.go ?? null;
  }

  function shiftNext(): (() => void) | null {
    const order = wasKnown ? (["strangers", "known"] as const) : (["known", "strangers"] as const);
    for (const name of order) {
      const next = shift(lanes[name]);
      if (next === null) continue;
      wasKnown = name === "known";
      return next;
    }
    return null;
  }

  /**
   * Passes the slot on, after a pause if others wait. It stays busy, so that no new request
   * overtakes.
   */
  function passOn(tookMs: number): void {
    if (lanes.known.size + lanes.strangers.size === 0) {
      isBusy = false;
      return;
    }
    timers.after(tookMs * pausePerTask, () => {
      const next = shiftNext();
      if (next === null) isBusy = false;
      else next();
    });
  }

  async function run<T>(request: QueueRequest, task: () => Promise<T>): Promise<T> {
    checkCapacity(request);
    if (isBusy) await wait(request);
    isBusy = true;
    const startedAt = timers.now();
    try {
      return await task();
    } finally {
      passOn(timers.now() - startedAt);
    }
  }

  return { run, checkCapacity };
}

const toArea = ({ area, caller }: QueueRequest): string => area ?? caller;

function toQueueFull(): HubError {
  return new HubError(
    "rate_limited",
    "Too many users are signing in right now. Try again in a minute.",
  );
}

/**
 * The caller with the most requests in the area with the most requests. Null if this area has less
 * than two requests more than the new request's area.
 */
function findLargestCaller(lane: Lane, newArea: string): string | null {
  const counts = new Map<string, number>();
  for (const { area, waiting } of lane.values()) {
    counts.set(area, (counts.get(area) ?? 0) + waiting.length);
  }
  const [[largestArea, most] = ["", 0]] = [...counts].toSorted(([, one], [, other]) => other - one);
  if (most < (counts.get(newArea) ?? 0) + 2) return null;
  const callers = [...lane].filter(([, { area }]) => area === largestArea);
  callers.sort(([, one], [, other]) => other.waiting.length - one.waiting.length);
  return callers[0]?.[0] ?? null;
}
