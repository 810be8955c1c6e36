import type { JsonObject, Workspace } from "./workspace.ts";

type DeliveryKind = "events_api" | "interactive" | "slash_commands";

export type Outcome =
  | { state: "acknowledged"; answer: unknown }
  | { state: "failed"; reason: RetryReason };

/** As in `X-Slack-Retry-Reason` and `retry_reason`. */
export type RetryReason = "timeout" | "connection_failed" | "http_error";

export type Delivery = {
  kind: DeliveryKind;
  payload: JsonObject;
  /** The same in each attempt. Null for interactions and commands, which Slack sends once. */
  eventId: string | null;
  acceptsResponse: boolean;
  attempts: Attempt[];
  /** Settles when the app has acknowledged an attempt, or Slack gives up. */
  outcome: Promise<Outcome>;
};

export type Attempt = {
  delivery: Delivery;
  retry: number;
  retryReason: RetryReason | null;
  state: "sent" | "acknowledged" | "failed";
};

/** Sends one attempt, and calls `done` once. A later call is ignored. */
export type Transport = (attempt: Attempt, done: (outcome: Outcome) => void) => void;

export type Deliveries = {
  deliver(
    kind: DeliveryKind,
    payload: JsonObject,
    options?: { acceptsResponse?: boolean },
  ): Delivery;
  /** Sends an event again, as Slack does when an acknowledgement was lost on the way. */
  repeat(delivery: Delivery): void;
  /** Keeps what comes next, until `release` sends it. */
  hold(): void;
  release(order?: "kept" | "reversed"): void;
  /** Sends each event twice, without waiting for the first acknowledgement. */
  setTwice(isTwice: boolean): void;
  /** Takes the next acknowledgements for lost. */
  loseAcknowledgements(count: number): void;
  all: readonly Delivery[];
};

/** "The app has three seconds to acknowledge." */
const acknowledgeMs = 3_000;
/** "Nearly immediately, after one minute, after five minutes." */
const retryDelaysMs = [1_000, 60_000, 300_000];

export function createDeliveries(slack: Workspace, transport: () => Transport): Deliveries {
  const all: Delivery[] = [];
  let held: (() => void)[] | null = null;
  let isTwice = false;
  let lostAcknowledgements = 0;
  const resolvers = new WeakMap<Delivery, (outcome: Outcome) => void>();

  const send = (run: () => void) => {
    if (held) held.push(run);
    else run();
  };
  const attempt = (delivery: Delivery, retry: number, retryReason: RetryReason | null): void => {
    const current: Attempt = { delivery, retry, retryReason, state: "sent" };
    delivery.attempts.push(current);
    const timer = slack.clock.after(acknowledgeMs, () =>
      end({ state: "failed", reason: "timeout" }),
    );
    const end = (outcome: Outcome) => {
      if (current.state !== "sent") return;
      if (outcome.state === "acknowledged" && lostAcknowledgements > 0) {
        lostAcknowledgements -= 1;
        return;
      }
      timer.cancel();
      current.state = outcome.state;
      if (outcome.state === "acknowledged") return resolvers.get(delivery)?.(outcome);
      const delayMs = delivery.eventId ? retryDelaysMs[retry] : undefined;
      if (delayMs === undefined) return resolvers.get(delivery)?.(outcome);
      const isDone = () => delivery.attempts.some(({ state }) => state === "acknowledged");
      const again = () => void (isDone() || attempt(delivery, retry + 1, outcome.reason));
      slack.clock.after(delayMs, () => send(again));
    };
    transport()(current, end);
  };

  return {
    all,
    deliver(kind, payload, { acceptsResponse = false } = {}) {
      const { promise, resolve } = Promise.withResolvers<Outcome>();
      const eventId = typeof payload.event_id === "string" ? payload.event_id : null;
      const delivery: Delivery = {
        kind,
        payload,
        eventId,
        acceptsResponse,
        attempts: [],
        outcome: promise,
      };
      resolvers.set(delivery, resolve);
      all.push(delivery);
      send(() => {
        attempt(delivery, 0, null);
        if (isTwice && eventId) attempt(delivery, 1, "timeout");
      });
      return delivery;
    },
    repeat(delivery) {
      if (!delivery.eventId) throw new Error("Slack sends interactions and commands only once.");
      send(() => attempt(delivery, delivery.attempts.length, "timeout"));
    },
    hold() {
      held ??= [];
    },
    release(order = "kept") {
      const runs = held ?? [];
      held = null;
      for (const run of order === "kept" ? runs : runs.reverse()) run();
    },
    setTwice(value) {
      isTwice = value;
    },
    loseAcknowledgements(count) {
      lostAcknowledgements = count;
    },
  };
}
