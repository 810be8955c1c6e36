import { HubError } from "../errors.ts";

/** A call under way that its client may still cancel. */
export type CallInFlight = { signal: AbortSignal; cancel(): void; end(): void };

/** Calls under way, by who made them, in which session, under which id. */
export type InFlight = {
  start(key: string): CallInFlight;
  /** Does nothing for a call that has ended, as MCP wants it. */
  cancel(key: string): void;
  /** Whether so many are under way that no further call should start. */
  isCrowded(): boolean;
};

export function createInFlight({ requestsMax = 10_000 }: { requestsMax?: number } = {}): InFlight {
  const calls: Map<string, AbortController> = new Map();
  let underWay = 0;
  return {
    start(key) {
      underWay += 1;
      const controller = new AbortController();
      // A client that uses an id twice at once can cancel the later call only.
      calls.set(key, controller);
      return {
        signal: controller.signal,
        cancel: () => cancel(controller),
        end() {
          underWay -= 1;
          if (calls.get(key) === controller) calls.delete(key);
        },
      };
    },
    cancel(key) {
      const controller = calls.get(key);
      if (controller !== undefined) cancel(controller);
    },
    isCrowded: () => underWay > requestsMax,
  };
}

/** The key of a call; JSON, so that no part of it can pass for another. */
export function toCallKey(userId: string, sessionKey: string, id: string): string {
  return JSON.stringify([userId, sessionKey, id]);
}

function cancel(controller: AbortController): void {
  controller.abort(new HubError("cancelled", "The call was cancelled."));
}
