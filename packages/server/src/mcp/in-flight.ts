import { HubError } from "../errors.ts";

/** A request under way that its client may still cancel. */
export type CallInFlight = { signal: AbortSignal; cancel(): void; end(): void };

/** Requests under way, by who made them, in which session, under which id. */
export type InFlight = {
  start(key: string): CallInFlight;
  /** Does nothing for a request that has ended, as MCP wants it. */
  cancel(key: string): void;
  /** Whether so many are under way that no further call should start. */
  isCrowded(): boolean;
  /** Cancels everything under way; resolves when all of it has ended. */
  close(): Promise<void>;
};

export function createInFlight({ requestsMax = 10_000 }: { requestsMax?: number } = {}): InFlight {
  const byKey: Map<string, AbortController> = new Map();
  const underWay: Set<AbortController> = new Set();
  let whenEmpty = () => {};
  return {
    start(key) {
      const controller = new AbortController();
      underWay.add(controller);
      // A client that uses an id twice at once can cancel the later request only.
      byKey.set(key, controller);
      return {
        signal: controller.signal,
        cancel: () => cancel(controller),
        end() {
          underWay.delete(controller);
          if (byKey.get(key) === controller) byKey.delete(key);
          if (underWay.size === 0) whenEmpty();
        },
      };
    },
    cancel(key) {
      const controller = byKey.get(key);
      if (controller !== undefined) cancel(controller);
    },
    isCrowded: () => underWay.size > requestsMax,
    async close() {
      const { promise, resolve } = Promise.withResolvers<void>();
      whenEmpty = resolve;
      for (const controller of underWay) cancel(controller);
      if (underWay.size > 0) await promise;
    },
  };
}

/** The key of a request; JSON, so that no part of it can pass for another. */
export function toCallKey(userId: string, sessionKey: string, id: string): string {
  return JSON.stringify([userId, sessionKey, id]);
}

function cancel(controller: AbortController): void {
  controller.abort(new HubError("cancelled", "The call was cancelled."));
}
