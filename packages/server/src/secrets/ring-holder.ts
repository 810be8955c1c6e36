import type { KeyRing } from "./key-ring.ts";

/** The key ring in use. Another process may rotate it, so whoever needs a key asks anew. */
export type RingHolder = {
  current(): KeyRing;
  /** Reads the ring again: after a change of configuration, or when a key is missing from it. */
  reload(): Promise<KeyRing>;
};

export async function createRingHolder(load: () => Promise<KeyRing>): Promise<RingHolder> {
  let ring = await load();
  return {
    current: () => ring,
    async reload() {
      ring = await load();
      return ring;
    },
  };
}
