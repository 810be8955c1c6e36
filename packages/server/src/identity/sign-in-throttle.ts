import { toClientNetwork } from "../lib/trusted-proxies.ts";

/** How many attempts fail before a while has to pass. */
export type ThrottleLimits = { failuresMax: number; windowMs: number };

const minuteMs = 60_000;
export const accountLimits: ThrottleLimits = { failuresMax: 10, windowMs: 15 * minuteMs };
export const addressLimits: ThrottleLimits = { failuresMax: 60, windowMs: 15 * minuteMs };
/** Whoever tries ever new names must not fill the memory; the oldest are forgotten first. */
const keysMax = 10_000;

export type SignInThrottle = ReturnType<typeof createSignInThrottle>;

/**
 * Slows down guessing, by account and by address. It asks nothing about whether the account is there,
 * so that its answer tells nothing about that either.
 */
export function createSignInThrottle({ now }: { now: () => number }) {
  const accounts = createCounter(accountLimits, now);
  const addresses = createCounter(addressLimits, now);
  return {
    /**
     * Counts an attempt as failed before it is made, so that many made at once are as many as many in
     * a row. `succeed` takes it back. Where too many failed it counts nothing, and tells for how
     * many ms to wait.
     */
    begin(email: string, address: string | null): { succeed(): void } | { waitMs: number } {
      const network = toClientNetwork(address ?? "");
      const waitMs = Math.max(accounts.findWait(email), addresses.findWait(network));
      if (waitMs > 0) return { waitMs };
      accounts.note(email);
      addresses.note(network);
      return {
        succeed() {
          // The account's owner is there. Of the address's other attempts that proves nothing.
          accounts.forget(email);
          addresses.takeBack(network);
        },
      };
    },
  };
}

function createCounter({ failuresMax, windowMs }: ThrottleLimits, now: () => number) {
  const failures = new Map<string, { count: number; since: number }>();
  const find = (key: string) => {
    const entry = failures.get(key);
    return entry !== undefined && entry.since + windowMs > now() ? entry : null;
  };
  return {
    findWait(key: string): number {
      const entry = find(key);
      return entry === null || entry.count < failuresMax ? 0 : entry.since + windowMs - now();
    },
    note(key: string): void {
      const entry = find(key) ?? { count: 0, since: now() };
      // Put last again: the map's order is that of the latest failures.
      failures.delete(key);
      failures.set(key, { ...entry, count: entry.count + 1 });
      const [oldest] = failures.keys();
      if (failures.size > keysMax && oldest !== undefined) failures.delete(oldest);
    },
    forget: (key: string): void => void failures.delete(key),
    takeBack(key: string): void {
      const entry = failures.get(key);
      if (entry !== undefined) failures.set(key, { ...entry, count: Math.max(0, entry.count - 1) });
    },
  };
}
