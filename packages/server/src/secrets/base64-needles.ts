import type { Span } from "./token-format.ts";

/** A few of a base64 character's six bits, and what they are. */
type PartialChar = { mask: number; bits: number };

/**
 * Bytes somewhere within base64 of more than themselves: the characters that hold nothing but their
 * bits, and the bits of theirs that the characters beside them hold.
 */
export type Base64Needle = {
  core: string;
  before: PartialChar | null;
  after: PartialChar | null;
};

/** How bytes look in base64 and base64url, at each of the three places where they can fall. */
export function toBase64Needles(bytes: Uint8Array): Base64Needle[] {
  const needles: Base64Needle[] = [];
  for (let bytesBefore = 0; bytesBefore < 3; bytesBefore += 1) {
    const needle = toNeedle(bytes, bytesBefore);
    needles.push(needle);
    if (!/[+/]/.test(needle.core)) continue;
    const url = needle.core.replaceAll("+", "-").replaceAll("/", "_");
    needles.push({ ...needle, core: url });
  }
  return needles;
}

/** The same for base64 that was put into base64 once more. */
export function toNestedBase64Needles(bytes: Uint8Array): Base64Needle[] {
  return toBase64Needles(bytes).flatMap(({ core }) => toBase64Needles(Buffer.from(core, "latin1")));
}

/** The stretch that holds every bit of the secret, or null when the neighbours do not fit. */
export function checkNeighbours(
  text: string,
  { start, end }: Span,
  needle: Pick<Base64Needle, "before" | "after">,
): Span | null {
  const before = fits(text, start - 1, needle.before);
  const after = fits(text, end, needle.after);
  if (before === null || after === null) return null;
  return { start: start - before, end: end + after };
}

/** Up to two more characters of base64 on each side: they hold what is left of a character inside. */
export function reachOut(text: string, { start, end }: Span): Span {
  let [from, to] = [start, end];
  while (from > start - 2 && toSixBits(text.charCodeAt(from - 1)) !== -1) from -= 1;
  while (to < end + 2 && toSixBits(text.charCodeAt(to)) !== -1) to += 1;
  return { start: from, end: to };
}

function toNeedle(bytes: Uint8Array, bytesBefore: number): Base64Needle {
  const firstBit = bytesBefore * 8;
  const endBit = firstBit + bytes.length * 8;
  const coreStart = Math.ceil(firstBit / 6);
  const coreEnd = Math.floor(endBit / 6);
  // Zeros around it: their bits say nothing, and no padding takes the place of a character.
  const around = Buffer.alloc(bytesBefore + bytes.length + 2);
  around.set(bytes, bytesBefore);
  const encoded = around.toString("base64");
  return {
    core: encoded.slice(coreStart, coreEnd),
    before: toPartial(encoded, coreStart - 1, (1 << (coreStart * 6 - firstBit)) - 1),
    after: toPartial(encoded, coreEnd, 63 & (63 << (6 - (endBit - coreEnd * 6)))),
  };
}

function toPartial(encoded: string, index: number, mask: number): PartialChar | null {
  return mask === 0 ? null : { mask, bits: toSixBits(encoded.charCodeAt(index)) & mask };
}

/** How many characters to add on this side: 0 or 1; null when what stands there rules it out. */
function fits(text: string, index: number, partial: PartialChar | null): 0 | 1 | null {
  if (partial === null) return 0;
  const value = toSixBits(text.charCodeAt(index));
  // Nothing of base64 stands there: the text was cut, and most of the secret is here all the same.
  if (value === -1) return 0;
  return (value & partial.mask) === partial.bits ? 1 : null;
}

/** The value of a character of either alphabet; -1 for any other. */
function toSixBits(code: number): number {
  if (code >= 0x41 && code <= 0x5a) return code - 0x41;
  if (code >= 0x61 && code <= 0x7a) return code - 0x61 + 26;
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 52;
  if (code === 0x2b || code === 0x2d) return 62;
  return code === 0x2f || code === 0x5f ? 63 : -1;
}
