import { isJsonObject } from "@hub/connector";
import type { Timers } from "../../../lib/time/timers.ts";
import type { OpenRequests } from "./open-requests.ts";

/**
 * Decides which messages of a server reach the client library. A server may send any number of them, and each
 * costs the library tens of microseconds. Only its answers to the hub have no limit.
 */
export type MessageGate<Item> = {
  /** What to pass on now, in this order. `given` stands for the message, such as its text. */
  admit(message: unknown, given: Item): Item[];
  /** Reports that were held back, for a message that passes without `admit`: they come before it. */
  takeHeld(): Item[];
};

/** How many messages of a kind pass at once, and how many a second after that. */
type Pace = { burst: number; perSecond: number };

const paces = {
  progress: { burst: 20, perSecond: 10 },
  requests: { burst: 10, perSecond: 5 },
  notifications: { burst: 10, perSecond: 1 },
} as const satisfies Record<string, Pace>;

/** Answers to the server's own requests, such as pings, that it has not taken yet. */
const answersMax = 8;

/** The notifications that the hub reads, besides progress. */
const readNotifications = new Set([
  "notifications/tools/list_changed",
  // Of the stream on which servers of the newer protocol tell of changes.
  "notifications/subscriptions/acknowledged",
  "notifications/cancelled",
]);

/** What a message costs the client library, in steps of a nanosecond. */
export function toMessageSteps(chars: number): number {
  return 40_000 + 20 * chars;
}

type GateDeps = { now: Timers["now"]; requests: OpenRequests };

export function createMessageGate<Item>({ now, requests }: GateDeps): MessageGate<Item> {
  const progressPaces = new Map<unknown, PaceKeeper>();
  const requestPace = createPaceKeeper(now, paces.requests);
  const notificationPaces = new Map<string, PaceKeeper>();
  /** The latest report that was not passed on, of each request. */
  const held = new Map<unknown, Item>();

  function admitProgress(params: unknown, given: Item): Item[] {
    const token = isJsonObject(params) ? params.progressToken : undefined;
    if (requests.findMethod(token) === undefined) return [];
    if (!progressPaces.has(token)) forgetAnswered();
    if (openPace(progressPaces, token, paces.progress).take()) {
      held.delete(token);
      return [given];
    }
    held.set(token, given);
    return [];
  }

  /** Requests whose answer came on another stream, or never. */
  function forgetAnswered(): void {
    for (const token of progressPaces.keys()) {
      if (requests.findMethod(token) === undefined) end(token);
    }
  }

  function end(token: unknown): Item[] {
    const last = held.get(token);
    held.delete(token);
    progressPaces.delete(token);
    return last === undefined ? [] : [last];
  }

  function openPace<Key>(keepers: Map<Key, PaceKeeper>, key: Key, pace: Pace): PaceKeeper {
    const known = keepers.get(key) ?? createPaceKeeper(now, pace);
    keepers.set(key, known);
    return known;
  }

  return {
    admit(message, given) {
      if (!isJsonObject(message)) return [];
      const { id, method, params } = message;
      if (typeof method !== "string") {
        if (requests.findMethod(id) === undefined) return [];
        return [...end(id), given];
      }
      if (id !== undefined) {
        return requests.countAnswers() < answersMax && requestPace.take() ? [given] : [];
      }
      if (method === "notifications/progress") return admitProgress(params, given);
      if (!readNotifications.has(method)) return [];
      return openPace(notificationPaces, method, paces.notifications).take() ? [given] : [];
    },
    takeHeld() {
      const texts = [...held.values()];
      held.clear();
      return texts;
    },
  };
}

type PaceKeeper = { take(): boolean };

function createPaceKeeper(now: () => number, { burst, perSecond }: Pace): PaceKeeper {
  let left = burst;
  let at = now();
  return {
    take() {
      const time = now();
      left = Math.min(burst, left + (Math.max(0, time - at) / 1000) * perSecond);
      at = time;
      if (left < 1) return false;
      left -= 1;
      return true;
    },
  };
}
