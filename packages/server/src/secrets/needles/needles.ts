import { hasRemovable } from "../views/join-lines.ts";
import type { Base64Needle } from "./base64-needles.ts";
import {
  createLongForms,
  type FormSteps,
  type LongForms,
  type LongSecret,
  listBeginnings,
  longCharsMin,
  toLongSecret,
} from "./long-secrets.ts";
import { isCaseless } from "./needle-forms.ts";
import { createNeedleIndex, type NeedleIndex } from "./needle-index.ts";
import { listKinds, type SecretKind } from "./secret-kinds.ts";

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
  /** If `text` is only the beginning of a long secret's forms, these forms; otherwise null. */
  longForms: LongForms | null;
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
  /** No form that a needle finds is longer. */
  charsMax: number;
};

/** Bounds the time to write out the forms of the long secrets of one call, to some 50 ms. */
const formStepsMax = 10_000_000;
/** No form of a secret has more characters for each of its bytes in UTF-8. */
const charsPerByteMax = 8;

/** Creates the needles of secrets. Secrets that are too short have none. */
export function toNeedles(
  secrets: Iterable<MaskedSecret>,
  { stepsMax = formStepsMax }: { stepsMax?: number } = {},
): Needles {
  const list: Needle[] = [];
  const ofLines: Needle[] = [];
  const steps = { left: stepsMax };
  let charsMin = Number.POSITIVE_INFINITY;
  let charsMax = 0;
  for (const secret of secrets) {
    const from = list.length;
    addSecret({ list, ofLines, steps }, secret);
    const isLong = secret.text.length >= longCharsMin;
    if (isLong) charsMax = Math.max(charsMax, Buffer.byteLength(secret.text) * charsPerByteMax);
    for (let at = from; at < list.length; at += 1) {
      const { text, sourceCharsMin } = list[at] ?? { text: "", sourceCharsMin: 0 };
      charsMin = Math.min(charsMin, sourceCharsMin);
      charsMax = Math.max(charsMax, text.length);
    }
  }
  return { all: toGroup(list), ofLines: toGroup(ofLines), charsMin, charsMax };
}

function toGroup(list: readonly Needle[]): NeedleGroup {
  return { list, index: createNeedleIndex(list) };
}

type Lists = { list: Needle[]; ofLines: Needle[]; steps: FormSteps };

function addSecret(lists: Lists, secret: MaskedSecret): void {
  const { text } = secret;
  const isFolded = secret.ignoreCase || isCaseless(text);
  if (text.length < longCharsMin) {
    for (const kind of listKinds(text, { isFolded, isLong: false })) addForms(lists, kind, secret);
    return;
  }
  const long = toLongSecret(text);
  for (const kind of listKinds(text, { isFolded, isLong: true })) {
    addBeginnings(lists, kind, secret, long);
  }
}

function addForms({ list, ofLines }: Lists, kind: SecretKind, secret: MaskedSecret): void {
  const { ofRow, isFromCaller = false } = secret;
  const { ignoreCase, isNested, breaks } = kind;
  for (const { text, sourceCharsMin, base64 } of kind.list(secret.text)) {
    // Without spread syntax, which takes a third of the time of a call with many secrets.
    const needle = {
      text,
      ignoreCase,
      sourceCharsMin,
      ofRow,
      isFromCaller,
      base64,
      isNested,
      longForms: null,
    };
    list.push(needle);
    if (breaks !== "none" && hasRemovable(text)) ofLines.push(needle);
  }
}

function addBeginnings(
  { list, ofLines, steps }: Lists,
  kind: SecretKind,
  { ofRow, isFromCaller = false }: MaskedSecret,
  secret: LongSecret,
): void {
  const { ignoreCase, isNested, breaks } = kind;
  const hasBreaks = breaks === "by chance" || (breaks === "as in the secret" && secret.hasBreaks);
  const charsMin = Math.floor(secret.trimmedChars * kind.charsPerChar);
  for (const text of listBeginnings(kind, secret)) {
    const needle = {
      text,
      ignoreCase,
      sourceCharsMin: Math.max(text.length, charsMin),
      ofRow,
      isFromCaller,
      base64: null,
      isNested,
      longForms: createLongForms(kind, { secret: secret.text, beginning: text }, steps),
    };
    list.push(needle);
    if (hasBreaks || (breaks !== "none" && hasRemovable(text))) ofLines.push(needle);
  }
}
