import { toClientNetwork } from "../lib/trusted-proxies.ts";

export type BudgetOptions = { perMinute: number; now: () => number };

/** Addresses that are counted at once; past it the oldest is forgotten. */
const addressesMax = 10_000;
const minuteMs = 60_000;

/** Every address has so many requests a minute, and gets them back evenly. */
export function createAddressBudget({ perMinute, now }: BudgetOptions) {
  const spent = new Map<string, { count: number; at: number }>();
  return {
    /** False where the address has none left. */
    take(address: string): boolean {
      const network = toClientNetwork(address);
      const before = spent.get(network);
      // A clock that was set back must not keep the address waiting for it.
      if (before !== undefined) before.at = Math.min(before.at, now());
      const regained = before === undefined ? 0 : ((now() - before.at) / minuteMs) * perMinute;
      const count = Math.max(0, (before?.count ?? 0) - regained);
      if (count + 1 > perMinute) return false;
      // Put back at the end: the first is the one that has been quiet for longest.
      spent.delete(network);
      spent.set(network, { count: count + 1, at: now() });
      const [oldest] = spent.keys();
      if (spent.size > addressesMax && oldest !== undefined) spent.delete(oldest);
      return true;
    },
  };
}
