import type { Span } from "../value-tokens/token-format.ts";

/** Some of the six bits of a base64 character, and their values. */
type PartialChar = { mask: number; bits: number };

/**
 * A needle for bytes inside a longer base64 text. `core` has the characters whose bits all belong
 * to the needle. `before` and `after` have the needle's bits in the neighbouring characters.
 */
export type Base64Needle = {
  core: string;
  before: PartialChar | null;
  after: PartialChar | null;
};

/** The numbers of bytes before a needle, modulo three, that give it different forms in base64. */
export const base64Alignments: readonly number[] = [0, 1, 2];

/** The forms of bytes in base64 and base64url, for each of the three possible alignments. */
export function toBase64Needles(
  bytes: Uint8Array,
  alignments: readonly number[] = base64Alignments,
): Base64Needle[] {
  const needles: Base64Needle[] = [];
  for (const bytesBefore of alignments) {
    const needle = toNeedle(bytes, bytesBefore);
    needles.push(needle);
    if (!/[+/]/.test(needle.core)) continue;
    const url = needle.core.replaceAll("+", "-").replaceAll("/", "_");
    needles.push({ ...needle, core: url });
  }
  return needles;
}

/** The same for base64 inside base64. The alignments are those of the outer base64. */
export function toNestedBase64Needles(
  bytes: Uint8Array,
  alignments?: readonly number[],
): Base64Needle[] {
  return toBase64Needles(bytes).flatMap(({ core }) =>
    toBase64Needles(Buffer.from(core, "latin1"), alignments),
  );
}

/**
 * Extends a match to all characters with bits of the secret. Returns null if the neighbouring
 * characters do not match.
 */
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

/**
 * Extends a match by up to two base64 characters on each side. They have bits of the outermost
 * characters of the inner base64.
 */
export function extendMatch(text: string, { start, end }: Span): Span {
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
  // Zero bytes around the needle keep the encoder from adding padding.
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

/**
 * The number of characters to add on this side, 0 or 1; null if the neighbouring character does not
 * match.
 */
function fits(text: string, index: number, partial: PartialChar | null): 0 | 1 | null {
  if (partial === null) return 0;
  const value = toSixBits(text.charCodeAt(index));
  // The neighbour is not base64: the text was cut here, but most of the secret remains.
  if (value === -1) return 0;
  return (value & partial.mask) === partial.bits ? 1 : null;
}

/** The value of a character in base64 or base64url; -1 for other characters. */
function toSixBits(code: number): number {
  if (code >= 0x41 && code <= 0x5a) return code - 0x41;
  if (code >= 0x61 && code <= 0x7a) return code - 0x61 + 26;
  if (code >= 0x30 && code <= 0x39) return code - 0x30 + 52;
  if (code === 0x2b || code === 0x2d) return 62;
  return code === 0x2f || code === 0x5f ? 63 : -1;
}
