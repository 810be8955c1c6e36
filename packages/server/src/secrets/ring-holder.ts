import type { KeyRing } from "./key-ring.ts";

/** The key ring in use. Another process may rotate it, so whoever needs a key asks anew. */
export type RingHolder = {
  current(): KeyRing;
  /** Reads the ring again: after a change of configuration, or when an unknown key id is met. */
  reload(): KeyRing;
};

export function createRingHolder(load: () => KeyRing): RingHolder {
  let ring = load();
  return {
    current: () => ring,
    reload() {
      ring = load();
      return ring;
    },
  };
}
