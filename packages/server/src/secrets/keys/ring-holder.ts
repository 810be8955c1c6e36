import type { KeyRing } from "./key-ring.ts";

/** The current key ring. Another process may rotate it, so callers get it again for each use. */
export type RingHolder = {
  current(): KeyRing;
  /** Reads the ring again, after a change of the configuration or if a key is missing. */
  reload(): Promise<KeyRing>;
};

export async function createRingHolder(load: () => Promise<KeyRing>): Promise<RingHolder> {
  let ring = await load();
  let begun = 0;
  let held = 0;
  return {
    current: () => ring,
    async reload() {
      begun += 1;
      const generation = begun;
      const loaded = await load();
      // A slower read that began earlier must not restore an older ring.
      if (generation > held) {
        held = generation;
        ring = loaded;
      }
      return ring;
    },
  };
}
