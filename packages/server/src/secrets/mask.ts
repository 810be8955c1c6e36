import { cutTextAtCharacter } from "../lib/cut-json.ts";
import { findCut, findListCut, findReach, toLatin1 } from "./find-cut.ts";
import { findGenuineTokens } from "./find-genuine-tokens.ts";
import { createSearchPool, findMatches } from "./find-matches.ts";
import { limitSeals } from "./limit-seals.ts";
import { mapJson } from "./map-json.ts";
import { partCharsMin } from "./needle-forms.ts";
import { type MaskedSecret, type Needles, toNeedles } from "./needles.ts";
import type { RowSecrets } from "./row-secrets.ts";
import { createSealer, type Sealer, type SealerOptions } from "./sealer.ts";
import { stepOutOfTokens } from "./token-format.ts";
import { findWholeValue, toWholeValues, type WholeValues } from "./whole-values.ts";

/** All secrets of one call. Everything that leaves the call passes through it. */
export type Mask = {
  /** From now on, the text leaves only as a token of this user, in whatever encoding. */
  addSecret(text: string, options?: SecretOptions): void;
  /** The same for the text in any mixture of upper and lower case. */
  addSecretIgnoreCase(text: string, options?: SecretOptions): void;
  /** Adds the secrets of the called row. */
  addRowSecrets(secrets: RowSecrets): void;
  /**
   * Binds the mask to the row of the call. The row's secrets become tokens that open only in calls
   * of this row. Such tokens in a text are recognized as genuine.
   */
  bindRow(rowId: string): void;
  /** All secrets as plain data, so that another thread can build the needles. */
  listSecrets(): MaskedSecret[];
  /**
   * Replaces the secrets in a text by tokens of exactly the matched characters. Opening the tokens
   * restores the text.
   */
  sealText(text: string): string;
  /**
   * Seals the strings and keys of a JSON value. Numbers whose digits are a secret become tokens.
   * Parts without a secret keep their identity. Throws `upstream_error` for cyclic values.
   */
  sealJson(value: unknown): unknown;
  /** Whether sealing would change the text. Also true if it cannot be searched within its limit. */
  holdsSecret(text: string): boolean;
  /**
   * Cuts a text before it is sealed, so that its JSON has at most this many bytes. A secret that
   * the cut would split is left out.
   */
  cutText(text: string, bytesMax: number): string;
  /**
   * The last index up to `end` where a cut of the list does not split a secret, whose bytes may be
   * numbers of the list.
   */
  cutList(items: readonly unknown[], end: number): number;
  /** Makes the tokens of this mask, for texts that another thread has searched. */
  sealer: Sealer;
};

export type SecretOptions = {
  /**
   * Whether this is a secret of the called row. A text that is also added without this option
   * belongs to the user.
   */
  ofRow?: boolean;
  /**
   * Whether the caller sent the text in plaintext. Such a text must not reveal a part of an opened
   * value.
   */
  isFromCaller?: boolean;
};

type MaskOptions = SealerOptions & {
  /** False (`HUB_ENC_DISABLE`) means that nothing is replaced. */
  enabled: boolean;
};

/** Replacing one match can reveal another, so the rest is searched again, up to this many times. */
const roundsMax = 8;

/** Replaces a text that cannot be searched within its limit. */
export const leftOutText =
  "[This text is left out: it could not be searched for secrets within its limit.]";

/** Creates an empty mask for one call of one user. */
export function createMask(options: MaskOptions): Mask {
  const { bindRow, ...sealer } = createSealer(options);
  const limited = limitSeals(sealer);
  const mask = createMaskWithSealer(limited, options.enabled);
  return {
    ...mask,
    bindRow,
    sealer,
    sealText(text) {
      limited.restart();
      return mask.sealText(text);
    },
    sealJson(value) {
      limited.restart();
      return mask.sealJson(value);
    },
  };
}

/**
 * Creates an empty mask with another sealer, such as a worker's sealer that asks the main thread.
 */
export function createMaskWithSealer(sealer: Sealer, enabled: boolean): Omit<Mask, "bindRow"> {
  const { seal, isGenuine } = sealer;
  const secrets = new Map<string, MaskedSecret>();
  /** Texts that belong to the user. Their tokens open in all calls of the user. */
  const ofUser = new Set<string>();
  let wholeValues: WholeValues | null = null;
  let needles: Needles | null = null;
  /** Set if the mask has the row's secrets only. Then their prepared needles are used. */
  let onlyRow: RowSecrets | null = null;
  /** All texts share one pool, so that many texts do not increase the limit of a call. */
  const pool = createSearchPool();

  const findNeedles = (): Needles => {
    needles ??= onlyRow?.needles() ?? toNeedles(listSecrets());
    return needles;
  };

  const add = (
    text: string,
    ignoreCase: boolean,
    { ofRow = false, isFromCaller = false }: SecretOptions = {},
  ) => {
    // A connector in plain JavaScript may pass any type. This call must fail then, not the sealing
    // of the result.
    if (typeof text !== "string") throw new TypeError("Only a text can be masked");
    if (text === "") return;
    const key = `${ignoreCase}:${text}`;
    // Adding a secret again must not rebuild the needles.
    if (secrets.has(key) && (ofRow || ofUser.has(text))) return;
    if (!ofRow) ofUser.add(text);
    secrets.set(key, { text, ignoreCase, ofRow, ...(isFromCaller && { isFromCaller }) });
    wholeValues = null;
    needles = null;
    onlyRow = null;
  };

  const listSecrets = (): MaskedSecret[] =>
    [...secrets.values()].map((secret) => ({
      ...secret,
      ofRow: secret.ofRow && !ofUser.has(secret.text),
    }));

  const search = (text: string) => findMatches(text, findNeedles(), { pool });

  const sealParts = (text: string, round = 0): string => {
    const matches = search(text);
    if (matches === null) return leftOutText;
    if (matches.length === 0) return text;
    if (round === roundsMax) {
      return seal(
        text,
        matches.some(({ ofRow }) => ofRow),
      );
    }
    const kept = findGenuineTokens(text, matches, isGenuine);
    let sealed = "";
    let copied = 0;
    const copyTo = (end: number) => {
      sealed += sealParts(text.slice(copied, end), round + 1);
      copied = end;
    };
    if (kept.length > 0) {
      for (const { start, end } of kept) {
        copyTo(start);
        sealed += text.slice(start, end);
        copied = end;
      }
    } else {
      for (const { start, end, ofRow } of matches) {
        copyTo(start);
        sealed += seal(text.slice(start, end), ofRow);
        copied = end;
      }
    }
    copyTo(text.length);
    return sealed;
  };

  const sealText = (text: string): string => {
    if (text.length >= partCharsMin) return sealParts(text);
    wholeValues ??= toWholeValues(listSecrets());
    const ofRow = findWholeValue(wholeValues, text);
    return ofRow === null ? text : seal(text, ofRow);
  };

  const sealNumber = (value: unknown, digits: string): unknown => {
    wholeValues ??= toWholeValues(listSecrets());
    const ofRow =
      findWholeValue(wholeValues, digits) ?? wholeValues.numbers.get(String(Number(digits)));
    return ofRow === undefined ? value : seal(digits, ofRow);
  };

  /** Replaces bytes in a list by a token of the numbers, separated by commas. */
  const sealBytes = (bytes: readonly number[]): unknown[] | null => {
    const matches = search(toLatin1(bytes));
    if (matches === null) return [leftOutText];
    if (matches.length === 0) return null;
    const parts: unknown[] = [];
    let copied = 0;
    for (const { start, end, ofRow } of matches) {
      for (; copied < start; copied += 1) parts.push(bytes[copied]);
      parts.push(seal(bytes.slice(start, end).join(","), ofRow));
      copied = end;
    }
    for (; copied < bytes.length; copied += 1) parts.push(bytes[copied]);
    return parts;
  };

  /** Replaces characters in a list by a token of the text. */
  const sealCharacters = (characters: readonly string[]): unknown[] | null => {
    const matches = search(characters.join(""));
    if (matches === null) return [leftOutText];
    if (matches.length === 0) return null;
    const parts: string[] = [];
    let copied = 0;
    for (const { start, end, ofRow } of matches) {
      parts.push(...characters.slice(copied, start));
      parts.push(seal(characters.slice(start, end).join(""), ofRow));
      copied = end;
    }
    return [...parts, ...characters.slice(copied)];
  };

  const isIdle = () => !enabled || secrets.size === 0;
  return {
    addSecret: (text, options) => add(text, false, options),
    addSecretIgnoreCase: (text, options) => add(text, true, options),
    addRowSecrets(row) {
      const isFirst = secrets.size === 0;
      for (const text of row.texts) add(text, false, { ofRow: true });
      if (isFirst && secrets.size === row.texts.length) onlyRow = row;
    },
    listSecrets,
    sealText: (text) => (isIdle() ? text : sealText(text)),
    sealJson: (value) =>
      isIdle()
        ? value
        : mapJson(value, {
            mapText: sealText,
            mapKey: sealParts,
            mapNumber: sealNumber,
            mapBytes: sealBytes,
            mapCharacters: sealCharacters,
          }),
    holdsSecret: (text) => !isIdle() && search(text)?.length !== 0,
    cutText(text, bytesMax) {
      const { length } = cutTextAtCharacter(text, bytesMax);
      if (length === text.length) return text;
      const end = stepOutOfTokens(text, length);
      if (isIdle()) return text.slice(0, end);
      const cut = findCut(text, end, findReach(listSecrets()), search);
      return text.slice(0, cut === end ? end : stepOutOfTokens(text, cut));
    },
    cutList(items, end) {
      if (isIdle()) return end;
      return findListCut(items, end, findReach(listSecrets()), search);
    },
    sealer,
  };
}
