import { randomInt } from "node:crypto";

/**
 * Fingerprints of texts (Karp and Rabin, 1987): polynomials modulo a prime. The fingerprint of every
 * part of a text follows from those of its beginnings, so a part is compared in one step, however
 * long it is. Unequal texts have the same fingerprint once in two billion.
 */
export type TextFingerprints = { find(start: number, form: WholeText): number };

/** What is kept of a text to find it again. */
export type WholeText = {
  chars: number;
  fingerprint: number;
  /** The base to the power of `chars`. */
  power: number;
};

/** A Mersenne prime, because a remainder then needs no division. */
const modulus = 2 ** 31 - 1;
/** Random, so that a caller cannot prepare texts with the same fingerprint. */
const base = 2 ** 20 + randomInt(2 ** 20);

export function toWholeText(text: string): WholeText {
  let fingerprint = 0;
  for (let at = 0; at < text.length; at += 1) {
    fingerprint = reduce(fingerprint * base + text.charCodeAt(at));
  }
  return { chars: text.length, fingerprint, power: raiseBase(text.length) };
}

export function createTextFingerprints(text: string): TextFingerprints {
  const beginnings = new Uint32Array(text.length + 1);
  let last = 0;
  for (let at = 0; at < text.length; at += 1) {
    last = reduce(last * base + text.charCodeAt(at));
    beginnings[at + 1] = last;
  }
  return {
    find(start, { chars, power }) {
      const before = multiply(beginnings[start] ?? 0, power);
      const whole = beginnings[start + chars] ?? 0;
      return whole >= before ? whole - before : whole - before + modulus;
    },
  };
}

/** The remainder of a number below 2^53. */
function reduce(value: number): number {
  const high = Math.floor(value / 2 ** 31);
  const sum = value - high * 2 ** 31 + high;
  return sum >= modulus ? sum - modulus : sum;
}

/** In two steps, because the product of two remainders is not an exact number. */
function multiply(first: number, second: number): number {
  const high = second >>> 16;
  return reduce(reduce(first * high) * 2 ** 16 + first * (second & 0xffff));
}

function raiseBase(exponent: number): number {
  let power = 1;
  for (let square = base, left = exponent; left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power = multiply(power, square);
    square = multiply(square, square);
  }
  return power;
}
