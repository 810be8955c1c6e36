import { partCharsMin } from "../needles/needle-forms.ts";
import { findGenuineTokens } from "../value-tokens/find-genuine-tokens.ts";
import type { Sealer } from "../value-tokens/sealer.ts";
import { toLatin1 } from "./find-cut.ts";
import { createSearchPool, findMatches } from "./find-secrets.ts";
import type { JsonMapper } from "./map-json.ts";
import type { MaskSecrets } from "./mask-secrets.ts";
import { findWholeValue } from "./whole-values.ts";

type Matches = NonNullable<ReturnType<typeof findMatches>>;

/** Replacing one match can reveal another, so the rest is searched again, up to this many times. */
const roundsMax = 8;

/** Replaces a text that cannot be searched within its limit. */
export const leftOutText =
  "[This text is left out: it could not be searched for secrets within its limit.]";

/** Replaces the secrets of one mask by tokens, in each kind of value that JSON has. */
export class MatchSealer implements JsonMapper {
  readonly #secrets: MaskSecrets;
  readonly #sealer: Sealer;
  /** All texts share one pool, so that many texts do not increase the limit of a call. */
  readonly #pool = createSearchPool();

  constructor(secrets: MaskSecrets, sealer: Sealer) {
    this.#secrets = secrets;
    this.#sealer = sealer;
  }

  /** Null if the text cannot be searched within its limit. */
  search(text: string): Matches | null {
    return findMatches(text, this.#secrets.openNeedles(), { pool: this.#pool });
  }

  mapText(text: string): string {
    if (text.length >= partCharsMin) return this.#sealParts(text, 0);
    const ofRow = findWholeValue(this.#secrets.openWholeValues(), text);
    return ofRow === null ? text : this.#sealer.seal(text, ofRow);
  }

  mapKey(key: string): string {
    return this.#sealParts(key, 0);
  }

  mapNumber(value: unknown, digits: string): unknown {
    const values = this.#secrets.openWholeValues();
    const ofRow = findWholeValue(values, digits) ?? values.numbers.get(String(Number(digits)));
    return ofRow === undefined ? value : this.#sealer.seal(digits, ofRow);
  }

  /** Replaces bytes in a list by a token of the numbers, separated by commas. */
  mapBytes(bytes: readonly number[]): unknown[] | null {
    const matches = this.search(toLatin1(bytes));
    if (matches === null) return [leftOutText];
    if (matches.length === 0) return null;
    const parts: unknown[] = [];
    let copied = 0;
    for (const { start, end, ofRow } of matches) {
      for (; copied < start; copied += 1) parts.push(bytes[copied]);
      parts.push(this.#sealer.seal(bytes.slice(start, end).join(","), ofRow));
      copied = end;
    }
    for (; copied < bytes.length; copied += 1) parts.push(bytes[copied]);
    return parts;
  }

  /** Replaces characters in a list by a token of the text. */
  mapCharacters(characters: readonly string[]): unknown[] | null {
    const matches = this.search(characters.join(""));
    if (matches === null) return [leftOutText];
    if (matches.length === 0) return null;
    const parts: string[][] = [];
    let copied = 0;
    for (const { start, end, ofRow } of matches) {
      const token = this.#sealer.seal(characters.slice(start, end).join(""), ofRow);
      parts.push(characters.slice(copied, start), [token]);
      copied = end;
    }
    parts.push(characters.slice(copied));
    return parts.flat();
  }

  #sealParts(text: string, round: number): string {
    const matches = this.search(text);
    if (matches === null) return leftOutText;
    if (matches.length === 0) return text;
    if (round === roundsMax) {
      return this.#sealer.seal(
        text,
        matches.some(({ ofRow }) => ofRow),
      );
    }
    const kept = findGenuineTokens(text, matches, this.#sealer.isGenuine);
    return kept.length > 0
      ? this.#keepTokens(text, kept, round)
      : this.#replaceMatches(text, matches, round);
  }

  /** Genuine tokens stay as they are. What is between them is searched again. */
  #keepTokens(text: string, kept: ReturnType<typeof findGenuineTokens>, round: number): string {
    let sealed = "";
    let copied = 0;
    for (const { start, end } of kept) {
      sealed += this.#sealParts(text.slice(copied, start), round + 1) + text.slice(start, end);
      copied = end;
    }
    return sealed + this.#sealParts(text.slice(copied), round + 1);
  }

  #replaceMatches(text: string, matches: Matches, round: number): string {
    let sealed = "";
    let copied = 0;
    for (const { start, end, ofRow } of matches) {
      sealed += this.#sealParts(text.slice(copied, start), round + 1);
      sealed += this.#sealer.seal(text.slice(start, end), ofRow);
      copied = end;
    }
    return sealed + this.#sealParts(text.slice(copied), round + 1);
  }
}
