import { cutTextAtCharacter } from "../lib/cut-json.ts";
import { findCut, findListCut, findReach, toLatin1 } from "./find-cut.ts";
import { findKept } from "./find-kept.ts";
import { createSearchPool, findMatches } from "./find-matches.ts";
import { limitSeals } from "./limit-seals.ts";
import { mapJson } from "./map-json.ts";
import { partCharsMin } from "./needle-forms.ts";
import { type MaskedSecret, type Needles, toNeedles } from "./needles.ts";
import type { RowSecrets } from "./row-secrets.ts";
import { createSealer, type Sealer, type SealerOptions } from "./sealer.ts";
import { stepOutOfTokens } from "./token-format.ts";
import { findWhole, toWholes, type Wholes } from "./whole-values.ts";

/** Every secret that one call has met. What leaves the hub passes through it. */
export type Mask = {
  /** From now on, the text leaves as this user's token only, however it is encoded. */
  addSecret(text: string, options?: SecretOptions): void;
  /** The same for the text in any mixture of upper and lower case. */
  addSecretIgnoreCase(text: string, options?: SecretOptions): void;
  /** The secrets of the called row. */
  addRowSecrets(secrets: RowSecrets): void;
  /**
   * The row that the call is for, once it is known: its secrets become tokens that open in its
   * calls only, and such tokens in a text are told from forged ones.
   */
  bindRow(rowId: string): void;
  /** All of them as plain data: the needles can be made of it in another thread. */
  listSecrets(): MaskedSecret[];
  /** A text with its secrets replaced by tokens of just what stood there: opening them restores it. */
  sealText(text: string): string;
  /**
   * A JSON value with its strings and keys sealed, and with tokens for numbers whose digits are a
   * secret. Parts without a secret keep their identity. Throws `upstream_error` for cyclic values.
   */
  sealJson(value: unknown): unknown;
  /**
   * Cuts a text that is not sealed yet, so that its JSON has at most so many bytes. A secret that
   * the cut would go through is left out as a whole.
   */
  cutText(text: string, bytesMax: number): string;
  /** The last place at or before `end` where a list can be cut so: numbers may be a secret's bytes. */
  cutList(items: readonly unknown[], end: number): number;
  /** What makes this mask's tokens: for texts that another thread has searched. */
  sealer: Sealer;
};

export type SecretOptions = {
  /** A secret of the called row. A text that was also added without this is the user's. */
  ofRow?: boolean;
  /** The caller sent the text in plain: of what was opened it must not show a part. */
  isGiven?: boolean;
};

type MaskOptions = SealerOptions & {
  /** False (`HUB_ENC_DISABLE`): everything passes through as it is. */
  enabled: boolean;
};

/** A cut can let another match show, so pieces are looked through again; a forged text not for ever. */
const roundsMax = 8;

/** In place of a text that was made to be searched without end. */
export const leftOut =
  "[This text is left out: it could not be searched for secrets within its limit.]";

/** An empty mask, for one call of one user. */
export function createMask(options: MaskOptions): Mask {
  const { bindRow, ...sealer } = createSealer(options);
  const limited = limitSeals(sealer);
  const mask = createMaskOver(limited, options.enabled);
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

/** An empty mask whose tokens another part makes, such as the main thread for a worker. */
export function createMaskOver(sealer: Sealer, enabled: boolean): Omit<Mask, "bindRow"> {
  const { seal, isGenuine } = sealer;
  const secrets = new Map<string, MaskedSecret>();
  /** Texts of the user's own: what the user holds may be opened wherever the user likes. */
  const ofUser = new Set<string>();
  let wholes: Wholes | null = null;
  let needles: Needles | null = null;
  /** Where the row's secrets are all that there is, their needles are ready. */
  let ofRowAlone: RowSecrets | null = null;
  /** One for all texts: a call must not cost more because it has many. */
  const pool = createSearchPool();

  const findNeedles = (): Needles => {
    needles ??= ofRowAlone?.needles() ?? toNeedles(listSecrets());
    return needles;
  };

  const add = (
    text: string,
    ignoreCase: boolean,
    { ofRow = false, isGiven = false }: SecretOptions = {},
  ) => {
    // A connector may be plain JavaScript; it has to fail here, not the sealing of its result.
    if (typeof text !== "string") throw new TypeError("Only a text can be masked");
    if (text === "") return;
    const key = `${ignoreCase}:${text}`;
    // A second mention of a secret must not cost its needles again.
    if (secrets.has(key) && (ofRow || ofUser.has(text))) return;
    if (!ofRow) ofUser.add(text);
    secrets.set(key, { text, ignoreCase, ofRow, ...(isGiven && { isGiven }) });
    wholes = null;
    needles = null;
    ofRowAlone = null;
  };

  const listSecrets = (): MaskedSecret[] =>
    [...secrets.values()].map((secret) => ({
      ...secret,
      ofRow: secret.ofRow && !ofUser.has(secret.text),
    }));

  const search = (text: string) => findMatches(text, findNeedles(), { pool });

  const sealParts = (text: string, round = 0): string => {
    const matches = search(text);
    if (matches === null) return leftOut;
    if (matches.length === 0) return text;
    if (round === roundsMax) {
      return seal(
        text,
        matches.some(({ ofRow }) => ofRow),
      );
    }
    const kept = findKept(text, matches, isGenuine);
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
    wholes ??= toWholes(listSecrets());
    const ofRow = findWhole(wholes, text);
    return ofRow === null ? text : seal(text, ofRow);
  };

  const sealNumber = (value: unknown, digits: string): unknown => {
    wholes ??= toWholes(listSecrets());
    const ofRow = findWhole(wholes, digits) ?? wholes.numbers.get(String(Number(digits)));
    return ofRow === undefined ? value : seal(digits, ofRow);
  };

  /** Bytes in a list: the token stands for the numbers, with commas. */
  const sealBytes = (bytes: readonly number[]): unknown[] | null => {
    const matches = search(toLatin1(bytes));
    if (matches === null) return [leftOut];
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

  const isIdle = () => !enabled || secrets.size === 0;
  return {
    addSecret: (text, options) => add(text, false, options),
    addSecretIgnoreCase: (text, options) => add(text, true, options),
    addRowSecrets(row) {
      const isFirst = secrets.size === 0;
      for (const text of row.texts) add(text, false, { ofRow: true });
      if (isFirst && secrets.size === row.texts.length) ofRowAlone = row;
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
          }),
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
