import { findMatches } from "./find-matches.ts";
import { foldCase } from "./fold-case.ts";
import type { KeyRing } from "./key-ring.ts";
import { mapJson } from "./map-json.ts";
import { type Needles, partCharsMin, toNeedles } from "./needles.ts";
import { findTokenSpans, type Span } from "./token-format.ts";
import { findValue, sealValue } from "./value-tokens.ts";

/** Every secret that one call has met. What leaves the hub passes through it. */
export type Mask = {
  /** From now on, the text leaves as this user's token only, however it is encoded. */
  addSecret(text: string): void;
  /** The same for the text in any mixture of upper and lower case. */
  addSecretIgnoreCase(text: string): void;
  /** A text with its secrets replaced by tokens of just what stood there: opening them restores it. */
  sealText(text: string): string;
  /**
   * A JSON value with its strings and keys sealed, and with tokens for numbers whose digits are a
   * secret. Parts without a secret keep their identity. Throws `upstream_error` for cyclic values.
   */
  sealJson(value: unknown): unknown;
};

type MaskOptions = {
  ring: KeyRing;
  userId: string;
  /** False (`HUB_ENC_DISABLE`): everything passes through as it is. */
  enabled: boolean;
};

/** A cut can let another match show, so pieces are looked through again; a forged text not for ever. */
const roundsMax = 8;

/** An empty mask, for one call of one user. */
export function createMask({ ring, userId, enabled }: MaskOptions): Mask {
  const exact = new Set<string>();
  const ignoreCase = new Set<string>();
  const tokens = new Map<string, string>();
  const genuine = new Map<string, boolean>();
  let wholes: Wholes | null = null;
  let needles: Needles | null = null;

  const add = (secrets: Set<string>, text: string) => {
    // A connector may be plain JavaScript; it has to fail here, not the sealing of its result.
    if (typeof text !== "string") throw new TypeError("Only a text can be masked");
    // A second mention of a secret must not cost its needles again.
    if (text === "" || secrets.has(text)) return;
    secrets.add(text);
    wholes = null;
    needles = null;
  };

  const seal = (text: string): string => {
    const known = tokens.get(text);
    if (known !== undefined) return known;
    const token = sealValue(ring, userId, text);
    tokens.set(text, token);
    genuine.set(token, true);
    return token;
  };

  /** Genuine means that it opens: a server could hide a secret in what only looks like a token. */
  const isGenuine = (token: string): boolean => {
    const known = genuine.get(token) ?? findValue(ring, userId, token) !== null;
    genuine.set(token, known);
    return known;
  };

  const sealParts = (text: string, round = 0): string => {
    needles ??= toNeedles(exact, ignoreCase);
    const matches = findMatches(text, needles);
    if (matches.length === 0) return text;
    if (round === roundsMax) return seal(text);
    const kept = findKept(text, matches, isGenuine);
    const cuts = kept.length > 0 ? kept : matches;
    let sealed = "";
    let copied = 0;
    for (const { start, end } of cuts) {
      const part = text.slice(start, end);
      sealed += sealParts(text.slice(copied, start), round + 1);
      sealed += kept.length > 0 ? part : seal(part);
      copied = end;
    }
    return sealed + sealParts(text.slice(copied), round + 1);
  };

  const sealText = (text: string): string => {
    if (text.length >= partCharsMin) return sealParts(text);
    wholes ??= toWholes(exact, ignoreCase);
    return isWhole(wholes, text) ? seal(text) : text;
  };

  const sealNumber = (value: unknown, digits: string): unknown => {
    wholes ??= toWholes(exact, ignoreCase);
    const isSecret = isWhole(wholes, digits) || wholes.numbers.has(String(Number(digits)));
    return isSecret ? seal(digits) : value;
  };

  const isIdle = () => !enabled || exact.size + ignoreCase.size === 0;
  return {
    addSecret: (text) => add(exact, text),
    addSecretIgnoreCase: (text) => add(ignoreCase, text),
    sealText: (text) => (isIdle() ? text : sealText(text)),
    sealJson: (value) =>
      isIdle()
        ? value
        : mapJson(value, { mapText: sealText, mapKey: sealParts, mapNumber: sealNumber }),
  };
}

/**
 * Genuine tokens that a match reaches into; of forged spans laid around them, none. Forged spans
 * can be nested without end, so no more is opened than real tokens could need.
 */
function findKept(
  text: string,
  matches: readonly Span[],
  isGenuine: (token: string) => boolean,
): Span[] {
  const kept: Span[] = [];
  let charsLeft = text.length * 4;
  let next = 0;
  for (const span of findTokenSpans(text)) {
    while ((matches[next]?.end ?? text.length) <= span.start && next < matches.length) next += 1;
    const match = matches[next];
    if (match === undefined) break;
    if (match.start >= span.end) continue;
    charsLeft -= span.end - span.start;
    if (charsLeft < 0) break;
    if (isGenuine(text.slice(span.start, span.end))) kept.push(span);
  }
  return kept;
}

/** Secrets as whole values: strings of any length, and numbers by their digits. */
type Wholes = {
  exact: ReadonlySet<string>;
  folded: ReadonlySet<string>;
  /** Long numbers as a `number` holds them: a connector may have parsed them so. */
  numbers: ReadonlySet<string>;
};

function toWholes(exact: ReadonlySet<string>, ignoreCase: ReadonlySet<string>): Wholes {
  const trimmed = (texts: Iterable<string>) => [...texts].flatMap((text) => [text, text.trim()]);
  const numbers = trimmed(exact)
    .filter((text) => /^[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text))
    .map((text) => String(Number(text)))
    // A secret such as 0001 must not make a token of every 1.
    .filter((digits) => digits.length >= partCharsMin && digits !== "Infinity");
  return {
    exact: new Set(trimmed(exact)),
    folded: new Set(trimmed(ignoreCase).map(foldCase)),
    numbers: new Set(numbers),
  };
}

function isWhole(wholes: Wholes, text: string): boolean {
  if (text === "") return false;
  return wholes.exact.has(text) || (wholes.folded.size > 0 && wholes.folded.has(foldCase(text)));
}
