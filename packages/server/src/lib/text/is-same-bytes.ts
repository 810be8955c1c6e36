import { timingSafeEqual } from "node:crypto";

/** Compares hashes in constant time. */
export function isSameBytes(given: Uint8Array, expected: Uint8Array): boolean {
  return given.byteLength === expected.byteLength && timingSafeEqual(given, expected);
}
