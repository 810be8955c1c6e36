import { HubError } from "../errors.ts";
import type { Timers } from "../lib/timers.ts";

/** Who waits for a turn. Each caller's turns come in a row of their own. */
export type Ticket = {
  /** A network, a browser or a session. */
  caller: string;
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

type Lane = Map<string, (() => void)[]>;

/**
 * Does one work at a time. Callers take turns, and so do strangers and those who are known: one who
 * sends many waits behind their own, and the others wait for one of them.
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
    const own = lane.get(ticket.caller)?.length ?? 0;
    if (own >= waitingPerCallerMax) {
      throw new HubError(
        "rate_limited",
        "Too many sign-ins from your network are waiting. Try again in a few seconds.",
      );
    }
    const all = [...lane.values()].reduce((sum, queue) => sum + queue.length, 0);
    if (all >= waitingMax) {
      throw new HubError(
        "rate_limited",
        "Too many people sign in right now. Try again in a minute.",
      );
    }
  }

  function wait(lane: Lane, caller: string): Promise<void> {
    return new Promise((resolve) => lane.set(caller, [...(lane.get(caller) ?? []), resolve]));
  }

  /** The first caller's next work; the caller goes to the end of the lane. */
  function shift(lane: Lane): (() => void) | null {
    const [first] = lane;
    if (first === undefined) return null;
    const [caller, [next, ...more]] = first;
    lane.delete(caller);
    if (more.length > 0) lane.set(caller, more);
    return next ?? null;
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
    if (isBusy) await wait(toLane(ticket), ticket.caller);
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
