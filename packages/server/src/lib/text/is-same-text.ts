import { createHash, timingSafeEqual } from "node:crypto";

/** Compares in constant time, so that the expected text cannot be guessed byte by byte. */
export function isSameText(given: string, expected: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(given), hash(expected));
}
