import { HubError } from "../errors.ts";

/** A request under way that its client may still cancel. */
export type CallInFlight = { signal: AbortSignal; cancel(): void; end(): void };

/** What a client names a request by: who made it, in which session, under which id. */
export type CallName = { owner: string; session: string; id: string };

/** Requests under way. */
export type InFlight = {
  /** `chars` is the length of the request's text, which stays in memory until it has ended. */
  start(name: CallName, chars: number): CallInFlight;
  /** Does nothing for a request that has ended, as MCP wants it. */
  cancel(name: CallName): void;
  /** Whether so much is under way, in all or of this owner, that no further call should start. */
  isCrowded(owner: string): boolean;
  /** Cancels everything under way; resolves when all of it has ended. */
  close(): Promise<void>;
};

/** A request longer than this takes the place of several. */
const charsPerPlace = 16 * 1024;

/**
 * There are places for `requestsMax` requests. Nobody has more than half of them, so that one client
 * gone wild leaves some to the others.
 */
export function createInFlight({ requestsMax = 10_000 }: { requestsMax?: number } = {}): InFlight {
  const ownerMax = Math.ceil(requestsMax / 2);
  const byKey: Map<string, AbortController> = new Map();
  const placesOf: Map<string, number> = new Map();
  const underWay: Set<AbortController> = new Set();
  let placesTaken = 0;
  let whenEmpty = () => {};

  function take(owner: string, places: number): void {
    placesTaken += places;
    const own = (placesOf.get(owner) ?? 0) + places;
    if (own === 0) placesOf.delete(owner);
    else placesOf.set(owner, own);
  }

  return {
    start(name, chars) {
      const key = toKey(name);
      const places = 1 + Math.floor(chars / charsPerPlace);
      const controller = new AbortController();
      underWay.add(controller);
      take(name.owner, places);
      // A client that uses an id twice at once can cancel the later request only.
      byKey.set(key, controller);
      return {
        signal: controller.signal,
        cancel: () => cancel(controller),
        end() {
          if (!underWay.delete(controller)) return;
          take(name.owner, -places);
          if (byKey.get(key) === controller) byKey.delete(key);
          if (underWay.size === 0) whenEmpty();
        },
      };
    },
    cancel(name) {
      const controller = byKey.get(toKey(name));
      if (controller !== undefined) cancel(controller);
    },
    isCrowded: (owner) => placesTaken > requestsMax || (placesOf.get(owner) ?? 0) > ownerMax,
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      whenEmpty = resolve;
      for (const controller of underWay) cancel(controller);
      if (underWay.size > 0) await promise;
    },
  };
}

/** JSON, so that no part can pass for another. */
function toKey({ owner, session, id }: CallName): string {
  return JSON.stringify([owner, session, id]);
}

function cancel(controller: AbortController): void {
  controller.abort(new HubError("cancelled", "The call was cancelled."));
}
