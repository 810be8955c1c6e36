import { HubError } from "../../errors.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { CallCounts } from "../../store/limits/call-counts.ts";
import type { BodyReaders } from "../bodies/body-readers.ts";
import { createNetworkPace, type NetworkPace } from "../queue/network-pace.ts";
import { toStrangerQueueKey } from "../queue/request-queue-keys.ts";
import {
  addForeignHeaders,
  defineGuardedEndpoint,
  type GuardedEndpoint,
  type GuardedEndpointDeps,
  type GuardedRequest,
} from "./guarded-endpoint.ts";

/** A channel that takes events by HTTP. */
type ChannelDoor = {
  rowId: string;
  /**
   * Checks the signature, stores the runs of the events and returns the answer for the platform.
   * Throws `unauthorized`, `bad_request` or `unavailable`.
   */
  receive(
    request: { headers: Headers; raw: Uint8Array },
    onVerified: () => Promise<void>,
  ): Promise<{ status: number; headers?: Readonly<Record<string, string>>; body?: string }>;
};

export type ChannelParts = {
  /** Null if there is no such channel, if it is disabled, or if it takes no events by HTTP. */
  openDoor(slug: string): Promise<ChannelDoor | null>;
  counts: CallCounts;
};

type ChannelEndpointDeps = GuardedEndpointDeps &
  ChannelParts & {
    readChannelEvents: BodyReaders["readChannelEvents"];
    timers: Timers;
  };

/** For the list of routes. */
export const channelRoutes = [{ method: "ALL", path: "/channels/*" }];

const pathPattern = /^\/channels\/([^/]{1,200})\/events$/;

/** Whether a URL, as `Request` writes it, is that of the events of a channel. */
export function isChannelEventsUrl(url: string): boolean {
  const pathStart = url.indexOf("/", "https://".length);
  return url.startsWith("/channels/", pathStart) && pathPattern.test(new URL(url).pathname);
}

/** Signed requests of one channel in a minute. */
const perMinuteMax = 6_000;

/** The address to which a chat platform sends events, with its guards in the order in which they run. */
export function createChannelEndpoint(deps: ChannelEndpointDeps): GuardedEndpoint {
  const pace = createNetworkPace({ now: deps.timers.now });
  return defineGuardedEndpoint(deps, {
    door: "webhook",
    loggedPath: "/channels/…/events",
    addHeaders(headers) {
      addForeignHeaders(headers);
      headers.set("cache-control", "no-store");
    },
    answer: (request) => answer(deps, pace, request),
  });
}

async function answer(
  deps: ChannelEndpointDeps,
  pace: NetworkPace,
  { req, client }: GuardedRequest,
): Promise<Response> {
  const queueKey = toStrangerQueueKey(client.ip);
  const paced = pace.begin(req, client.ip ?? "");
  try {
    const [, slug = ""] = pathPattern.exec(new URL(req.url).pathname) ?? [];
    const door = req.method === "POST" ? await deps.openDoor(slug) : null;
    if (door === null) {
      throw new HubError("not_found", "There is no channel for events at this address.");
    }
    const { raw, release } = await deps.readChannelEvents(req, queueKey);
    const received = door.receive({ headers: req.headers, raw }, () => {
      paced.accept();
      return checkPace(deps, door.rowId);
    });
    const { status, headers, body } = await received.finally(release);
    return new Response(body ?? null, { status, headers: { ...headers } });
  } catch (err) {
    throw paced.toRefusal(err);
  }
}

/** Counts only what is signed, so that a stranger cannot use up the channel's pace. */
async function checkPace({ counts }: ChannelEndpointDeps, rowId: string): Promise<void> {
  const counted = counts.begin(`channel:${rowId}`, { perMinute: perMinuteMax, atOnce: 0 });
  try {
    const refusal = await counted.refusal;
    if (refusal === null) return;
    const waitS = refusal.limit === "perMinute" ? Math.ceil(refusal.waitMs / 1000) : 1;
    throw new HubError(
      "rate_limited",
      `The channel takes no more events now. Send it again in ${waitS} s.`,
      { detail: { retry_after_s: waitS } },
    );
  } finally {
    counted.end();
  }
}
