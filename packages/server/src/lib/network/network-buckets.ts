import { createTokenBuckets } from "../limits/token-buckets.ts";
import { toClientNetworks } from "./trusted-proxies.ts";

/** A token bucket for each network, and one for each area of networks. */
export type NetworkBuckets = {
  /** Takes a token of the network of this address. False if it, or its area, has none. */
  take(address: string): boolean;
  /** Gives back a token that was taken, for what should not count. */
  give(address: string): void;
};

/**
 * An area has so many times the tokens of one network. Otherwise a sender with an IPv6 /48 would have
 * those of 65,536 networks. A company or a mobile network behind one IPv4 /24 does not reach it.
 */
const networksPerArea = 16;

export function createNetworkBuckets(deps: {
  now: () => number;
  /** Tokens of one network. */
  perMinute: number;
}): NetworkBuckets {
  const { now, perMinute } = deps;
  const [networks, areas] = [createTokenBuckets({ now }), createTokenBuckets({ now })];
  return {
    take(address) {
      const { network, area } = toClientNetworks(address);
      if (networks.take(network, perMinute) > 0) return false;
      if (areas.take(area, perMinute * networksPerArea) === 0) return true;
      networks.give(network);
      return false;
    },
    give(address) {
      const { network, area } = toClientNetworks(address);
      networks.give(network);
      areas.give(area);
    },
  };
}
