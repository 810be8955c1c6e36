import { HubError } from "../../errors.ts";
import { createNetworkBuckets } from "../../lib/network/network-buckets.ts";

/** A request of a network, until it is known to be wanted. */
export type PacedRequest = {
  /** Its signature is valid, or its door asks for none: it does not count for its network. */
  accept(): void;
  /**
   * The error for a request that failed with this one. Until it is accepted, requests of a network that
   * has used up its pace all get the same refusal.
   */
  toRefusal(error: unknown): unknown;
};

export type NetworkPace = {
  /** Counts a request before its body is read. Throws `rate_limited` with `retry_after_s`. */
  begin(req: Request, address: string): PacedRequest;
};

/** Requests of one network in a minute that no one has signed. An area of networks has sixteen times as many. */
export const networkPerMinuteMax = 6_000;
/**
 * The largest body of a network that has used up its pace. A platform sends the requests of all its
 * customers from one network, also those of a stranger, so its small requests are still checked.
 */
const crowdedBytesMax = 64 * 1024;

/** Limits the requests of strangers to one door. */
export function createNetworkPace({ now }: { now(): number }): NetworkPace {
  const buckets = createNetworkBuckets({ now, perMinute: networkPerMinuteMax });
  return {
    begin(req, address) {
      const isCrowded = !buckets.take(address);
      if (isCrowded && !isSmall(req)) throw refuseNetwork();
      let isAccepted = false;
      return {
        accept() {
          if (!isCrowded && !isAccepted) buckets.give(address);
          isAccepted = true;
        },
        toRefusal: (error) => (isCrowded && !isAccepted ? refuseNetwork() : error),
      };
    },
  };
}

function isSmall({ headers, body }: Request): boolean {
  const length = headers.get("content-length");
  return length === null ? body === null : Number(length) <= crowdedBytesMax;
}

function refuseNetwork(): HubError {
  const waitS = 10;
  return new HubError(
    "rate_limited",
    `Too many requests from your address. Send it again in ${waitS} s.`,
    { detail: { retry_after_s: waitS } },
  );
}
