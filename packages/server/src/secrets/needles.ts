import { type Base64Needle, toBase64Needles, toNestedBase64Needles } from "./base64-needles.ts";
import { hasRemovable } from "./join-lines.ts";
import {
  isCaseless,
  listByteForms,
  listCases,
  listEncodedBytes,
  listFoldedForms,
  listHexForms,
  listNestedBytes,
  listTextForms,
  listWideForms,
  partCharsMin,
} from "./needle-forms.ts";
import { createNeedleIndex, type NeedleIndex } from "./needle-index.ts";

/** A secret of a call as plain data, so that it can be sent to a worker. */
export type MaskedSecret = {
  text: string;
  /** Whether the secret is found in any mixture of upper and lower case. */
  ignoreCase: boolean;
  /** Whether it is a secret of the called row, not a value of the user. */
  ofRow: boolean;
  /** Whether the caller sent it in plaintext, so that a model may have chosen it. */
  isFromCaller?: boolean;
};

/** A text to find in the decoded forms of a text. */
export type Needle = {
  /** Case-folded if case is ignored. */
  text: string;
  ignoreCase: boolean;
  /**
   * The minimum length of a match in the original text, because no encoding is shorter than the
   * secret.
   */
  sourceCharsMin: number;
  ofRow: boolean;
  isFromCaller: boolean;
  /** The neighbouring base64 characters that have some bits of the secret. */
  base64: Base64Needle | null;
  /** Whether this is base64 inside base64. */
  isNested: boolean;
};

/** Needles that are searched for together. */
export type NeedleGroup = { list: readonly Needle[]; index: NeedleIndex };

/** All forms of a set of secrets to search for. */
export type Needles = {
  all: NeedleGroup;
  /** The needles that joining lines can alter. They are also searched for in the unjoined text. */
  ofLines: NeedleGroup;
  /** Shorter texts cannot contain a secret. */
  charsMin: number;
  /** The length of the longest needle. */
  charsMax: number;
};

/** Creates the needles of secrets. Secrets that are too short have none. */
export function toNeedles(secrets: Iterable<MaskedSecret>): Needles {
  const list: Needle[] = [];
  for (const secret of secrets) addSecret(list, secret);
  let charsMin = Number.POSITIVE_INFINITY;
  let charsMax = 0;
  for (const { text, sourceCharsMin } of list) {
    charsMin = Math.min(charsMin, sourceCharsMin);
    charsMax = Math.max(charsMax, text.length);
  }
  const ofLines = list.filter(({ text }) => hasRemovable(text));
  return { all: toGroup(list), ofLines: toGroup(ofLines), charsMin, charsMax };
}

function toGroup(list: readonly Needle[]): NeedleGroup {
  return { list, index: createNeedleIndex(list) };
}

function addSecret(
  list: Needle[],
  { text, ignoreCase, ofRow, isFromCaller = false }: MaskedSecret,
): void {
  const addText = (form: string, sourceCharsMin: number, isFolded: boolean) =>
    list.push({
      text: form,
      ignoreCase: isFolded,
      sourceCharsMin,
      ofRow,
      isFromCaller,
      base64: null,
      isNested: false,
    });
  const addBase64 = (base64: Base64Needle, isNested: boolean) => {
    const { core } = base64;
    list.push({
      text: core,
      ignoreCase: false,
      sourceCharsMin: core.length,
      ofRow,
      isFromCaller,
      base64,
      isNested,
    });
  };

  const isFolded = ignoreCase || isCaseless(text);
  const forms = isFolded ? listFoldedForms(text) : listTextForms(text);
  for (const [form, sourceCharsMin] of forms) addText(form, sourceCharsMin, isFolded);
  if (text.length < partCharsMin) return;
  // The base64 of every mixture of cases cannot be listed, so only the common cases are.
  for (const cased of isFolded ? listCases(text) : [text]) {
    for (const form of listWideForms(cased)) addText(form, form.length, false);
    for (const form of listHexForms(cased)) addText(form, form.length, true);
    for (const form of listByteForms(cased)) addText(form, form.length, false);
    for (const bytes of listEncodedBytes(cased)) {
      for (const needle of toBase64Needles(bytes)) addBase64(needle, false);
    }
    for (const bytes of listNestedBytes(cased)) {
      for (const needle of toNestedBase64Needles(bytes)) addBase64(needle, true);
    }
  }
}
