import { HubError } from "../errors.ts";
import type { Timers } from "../lib/timers.ts";

/** Who waits for a turn. Each caller's turns come in a row of their own. */
export type Ticket = {
  /** A network, or the account of who is known. */
  caller: string;
  /** What one sender may have many callers in, such as the networks of one provider; else the caller. */
  area?: string;
  /** A browser that signed in before, or somebody who is signed in: strangers do not stand in its way. */
  isKnown: boolean;
};

type TurnDeps = {
  timers: Timers;
  /** While others wait, a rest of so many times what the work took follows it. */
  restPerWork: number;
  /** Of strangers, and as many again of those who are known. */
  waitingMax: number;
  waitingPerCallerMax: number;
};

type Waiting = { go: () => void; refuse: (reason: HubError) => void };
type Lane = Map<string, { area: string; waiting: Waiting[] }>;

/**
 * Does one work at a time. Callers take turns, and so do strangers and those who are known: one who
 * sends many waits behind their own, and the others wait for one of them. Where all places are taken,
 * the area that has most of them gives one up to a newcomer: no sender fills them all.
 */
export function createFairTurns(deps: TurnDeps) {
  const { timers, restPerWork, waitingMax, waitingPerCallerMax } = deps;
  const lanes: { known: Lane; strangers: Lane } = { known: new Map(), strangers: new Map() };
  let isBusy = false;
  let wasKnown = false;

  const toLane = ({ isKnown }: Ticket) => (isKnown ? lanes.known : lanes.strangers);

  /** Throws `rate_limited` where too many wait. */
  function checkRoom(ticket: Ticket): void {
    if (!isBusy) return;
    const lane = toLane(ticket);
    const own = lane.get(ticket.caller)?.waiting.length ?? 0;
    if (own >= waitingPerCallerMax) {
      throw new HubError(
        "rate_limited",
        "Too many sign-ins from your network are waiting. Try again in a few seconds.",
      );
    }
    if (isFull(lane) && findCrowder(lane, toArea(ticket)) === null) throw refuseAll();
  }

  const isFull = (lane: Lane) =>
    [...lane.values()].reduce((sum, { waiting }) => sum + waiting.length, 0) >= waitingMax;

  function wait(ticket: Ticket): Promise<void> {
    const lane = toLane(ticket);
    if (isFull(lane)) {
      const crowder = findCrowder(lane, toArea(ticket));
      const last = crowder === null ? undefined : lane.get(crowder)?.waiting.pop();
      if (crowder !== null && lane.get(crowder)?.waiting.length === 0) lane.delete(crowder);
      last?.refuse(refuseAll());
    }
    return new Promise((go, refuse) => {
      const before = lane.get(ticket.caller)?.waiting ?? [];
      lane.set(ticket.caller, { area: toArea(ticket), waiting: [...before, { go, refuse }] });
    });
  }

  /** The first caller's next work; the caller goes to the end of the lane. */
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

  /** The turn is handed on, so that nobody slips in between; after a rest, while others wait. */
  function handOn(tookMs: number): void {
    if (lanes.known.size + lanes.strangers.size === 0) {
      isBusy = false;
      return;
    }
    timers.after(tookMs * restPerWork, () => {
      const next = shiftNext();
      if (next === null) isBusy = false;
      else next();
    });
  }

  async function take<T>(ticket: Ticket, work: () => Promise<T>): Promise<T> {
    checkRoom(ticket);
    if (isBusy) await wait(ticket);
    isBusy = true;
    const startedAt = timers.now();
    try {
      return await work();
    } finally {
      handOn(timers.now() - startedAt);
    }
  }

  return { take, checkRoom };
}

const toArea = ({ area, caller }: Ticket): string => area ?? caller;

function refuseAll(): HubError {
  return new HubError(
    "rate_limited",
    "Too many users are signing in right now. Try again in a minute.",
  );
}

/**
 * The caller with most places, of the area with most; null where that area has hardly more than the
 * newcomer's.
 */
function findCrowder(lane: Lane, newcomer: string): string | null {
  const places = new Map<string, number>();
  for (const { area, waiting } of lane.values()) {
    places.set(area, (places.get(area) ?? 0) + waiting.length);
  }
  const [[crowded, most] = ["", 0]] = [...places].toSorted(([, one], [, other]) => other - one);
  if (most < (places.get(newcomer) ?? 0) + 2) return null;
  const callers = [...lane].filter(([, { area }]) => area === crowded);
  callers.sort(([, one], [, other]) => other.waiting.length - one.waiting.length);
  return callers[0]?.[0] ?? null;
}
