import type { KeyRing } from "../keys/key-ring.ts";
import type { RingHolder } from "../keys/ring-holder.ts";
import { findKeyId } from "./at-rest.ts";

/** The keys that open a stored secret. Another process may have rotated them, so they are read again if its key is not among them. */
export async function findRing(ring: RingHolder, sealed: Uint8Array): Promise<KeyRing> {
  const keyId = findKeyId(sealed);
  const isKnown = keyId !== null && ring.current().keys.has(keyId);
  return isKnown ? ring.current() : await ring.reload();
}
