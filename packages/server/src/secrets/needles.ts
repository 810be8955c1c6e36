import { type Base64Needle, toBase64Needles, toNestedBase64Needles } from "./base64-needles.ts";
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

/** A secret of a call, as a mask knows it: plain data, so that it can be sent to a worker. */
export type MaskedSecret = {
  text: string;
  /** It is found in any mixture of upper and lower case. */
  ignoreCase: boolean;
  /** It is a secret of the called row, not a value of the user's own. */
  ofRow: boolean;
  /** The caller sent it in plain, so a model may have chosen it. */
  isGiven?: boolean;
};

/** A text to look for in what a text decodes to. */
export type Needle = {
  /** Case-folded where case is ignored. */
  text: string;
  ignoreCase: boolean;
  /**
   * Only a stretch of the original with at least so many characters can be the secret: no encoding
   * is shorter than it.
   */
  sourceCharsMin: number;
  ofRow: boolean;
  isGiven: boolean;
  /** Characters of base64 beside it that hold some of its bits. */
  base64: Base64Needle | null;
  /** It is base64 within base64. */
  isNested: boolean;
};

/** What to look for in a text: everything that a set of secrets could show as. */
export type Needles = {
  list: readonly Needle[];
  index: NeedleIndex;
  /** No shorter text can hold any of them. */
  charsMin: number;
  /** In characters of the text searched, as it is or decoded. */
  charsMax: number;
};

/** The needles of secrets; those too short to be looked for give none. */
export function toNeedles(secrets: Iterable<MaskedSecret>): Needles {
  const list: Needle[] = [];
  for (const secret of secrets) addSecret(list, secret);
  let charsMin = Number.POSITIVE_INFINITY;
  let charsMax = 0;
  for (const { text, sourceCharsMin } of list) {
    charsMin = Math.min(charsMin, sourceCharsMin);
    charsMax = Math.max(charsMax, text.length);
  }
  return { list, index: createNeedleIndex(list), charsMin, charsMax };
}

function addSecret(
  list: Needle[],
  { text, ignoreCase, ofRow, isGiven = false }: MaskedSecret,
): void {
  const addText = (form: string, sourceCharsMin: number, isFolded: boolean) =>
    list.push({
      text: form,
      ignoreCase: isFolded,
      sourceCharsMin,
      ofRow,
      isGiven,
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
      isGiven,
      base64,
      isNested,
    });
  };

  const isFolded = ignoreCase || isCaseless(text);
  const forms = isFolded ? listFoldedForms(text) : listTextForms(text);
  for (const [form, sourceCharsMin] of forms) addText(form, sourceCharsMin, isFolded);
  if (text.length < partCharsMin) return;
  // Base64 of every mixture of cases cannot be listed; these are the ones that programs make.
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
