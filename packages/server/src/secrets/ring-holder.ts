import type { KeyRing } from "./key-ring.ts";

/** The key ring in use. Another process may rotate it, so whoever needs a key asks anew. */
export type RingHolder = {
  current(): KeyRing;
  /** Reads the ring again: after a change of configuration, or when a key is missing from it. */
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
      const turn = begun;
      const loaded = await load();
      // A slower read that began earlier must not put an older ring back.
      if (turn > held) {
        held = turn;
        ring = loaded;
      }
      return ring;
    },
  };
}
