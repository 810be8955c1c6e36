import { HubError } from "../../errors.ts";

/** A running request that its client can cancel. */
export type CallInFlight = { signal: AbortSignal; cancel(): void; end(): void };

/** Identifies a request: its owner, session and id. */
export type CallName = { owner: string; session: string; id: string };

/** The running requests. */
export type InFlight = {
  /** `chars` is the length of the request's text, which stays in memory until the request ends. */
  start(name: CallName, chars: number): CallInFlight;
  /** Does nothing for a request that has ended, as MCP requires, and returns false. */
  cancel(name: CallName): boolean;
  /** Cancels all requests of a session. */
  cancelSession(name: Pick<CallName, "owner" | "session">): void;
  /** Whether the limit of running requests is exceeded, in all or for this owner. */
  isFull(owner: string): boolean;
  /** Cancels every running request; resolves when all have ended. */
  close(): Promise<void>;
};

/** Characters of a request's text per slot; longer requests take several slots. */
const charsPerSlot = 16 * 1024;

/**
 * There are `requestsMax` slots. One owner may take half of them, so that a runaway client does not
 * block the others.
 */
export function createInFlight({ requestsMax = 10_000 }: { requestsMax?: number } = {}): InFlight {
  const ownerMax = Math.ceil(requestsMax / 2);
  const byKey: Map<string, AbortController> = new Map();
  const slotsOf: Map<string, number> = new Map();
  const running: Map<AbortController, CallName> = new Map();
  let slotsTaken = 0;
  let whenEmpty = () => {};

  function take(owner: string, slots: number): void {
    slotsTaken += slots;
    const own = (slotsOf.get(owner) ?? 0) + slots;
    if (own === 0) slotsOf.delete(owner);
    else slotsOf.set(owner, own);
  }

  return {
    start(name, chars) {
      const key = toKey(name);
      const slots = 1 + Math.floor(chars / charsPerSlot);
      const controller = new AbortController();
      running.set(controller, name);
      take(name.owner, slots);
      // If a client uses an id twice at once, only the later request can be cancelled.
      byKey.set(key, controller);
      return {
        signal: controller.signal,
        cancel: () => cancel(controller),
        end() {
          if (!running.delete(controller)) return;
          take(name.owner, -slots);
          if (byKey.get(key) === controller) byKey.delete(key);
          if (running.size === 0) whenEmpty();
        },
      };
    },
    cancel(name) {
      const controller = byKey.get(toKey(name));
      if (controller !== undefined) cancel(controller);
      return controller !== undefined;
    },
    cancelSession({ owner, session }) {
      for (const [controller, name] of running) {
        if (name.owner === owner && name.session === session) cancel(controller);
      }
    },
    isFull: (owner) => slotsTaken > requestsMax || (slotsOf.get(owner) ?? 0) > ownerMax,
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      whenEmpty = resolve;
      for (const controller of running.keys()) cancel(controller);
      if (running.size > 0) await promise;
    },
  };
}

/** With the lengths, so that different names never have the same key. */
function toKey({ owner, session, id }: CallName): string {
  return `${owner.length} ${session.length} ${owner}${session}${id}`;
}

function cancel(controller: AbortController): void {
  controller.abort(new HubError("cancelled", "The call was cancelled."));
}
