import {
  type Base64Needle,
  base64Alignments,
  toBase64Needles,
  toNestedBase64Needles,
} from "./base64-needles.ts";
import {
  cases,
  type Decode,
  listBase32Forms,
  listByteForms,
  listEncodedBytes,
  listFoldedForms,
  listHexForms,
  listHexOfBase64Forms,
  listNestedBytes,
  listSpacedForms,
  listTextForms,
  listWideForms,
  partCharsMin,
} from "./needle-forms.ts";

/** One way in which a secret is written out. */
export type SecretForm = {
  text: string;
  /** The minimum length of a match in the original text. */
  sourceCharsMin: number;
  base64: Base64Needle | null;
};

/** A kind of encodings, which gives a secret one or several forms. */
export type SecretKind = {
  ignoreCase: boolean;
  /** Whether this is base64 inside base64. */
  isNested: boolean;
  /** No form has fewer characters for each character of the secret. */
  charsPerChar: number;
  /** Lists the forms one at a time, because those of a long secret take memory. */
  list(secret: string, decode?: Decode): Iterable<SecretForm>;
  /** Whether a form contains line breaks or the like, which are removed when lines are joined. */
  breaks: "as in the secret" | "by chance" | "none";
};

/**
 * The kinds in which a secret is searched for. If `isFolded`, its case does not matter. If `isLong`, forms
 * with different beginnings are in different kinds, so that few of them are written out to be compared.
 */
export function listKinds(
  secret: string,
  { isFolded, isLong }: { isFolded: boolean; isLong: boolean },
): SecretKind[] {
  const kinds = [isFolded ? foldedText : exactText];
  if (secret.length < partCharsMin) return kinds;
  // The base64 of every mixture of cases cannot be listed, so only the common cases are.
  const seen = new Set<string>();
  for (const { toCase, short, long } of isFolded ? kindsOfCases : kindsOfCases.slice(0, 1)) {
    const cased = toCase(secret);
    if (seen.has(cased)) continue;
    seen.add(cased);
    kinds.push(...(isLong ? long : short));
  }
  return kinds;
}

const exactText: SecretKind = {
  ignoreCase: false,
  isNested: false,
  charsPerChar: 0,
  *list(secret, decode) {
    for (const [text, sourceCharsMin] of listTextForms(secret, decode)) {
      yield { text, sourceCharsMin, base64: null };
    }
  },
  breaks: "as in the secret",
};

const foldedText: SecretKind = {
  ...exactText,
  ignoreCase: true,
  *list(secret, decode) {
    for (const [text, sourceCharsMin] of listFoldedForms(secret, decode)) {
      yield { text, sourceCharsMin, base64: null };
    }
  },
};

function toKindsOfCase(
  toCase: (secret: string) => string,
  alignments: readonly Alignments[],
): SecretKind[] {
  return [
    toPlainKind(listWideForms, { toCase, charsPerChar: 2, breaks: "by chance" }),
    toPlainKind(listHexForms, { toCase, charsPerChar: 2, ignoreCase: true }),
    toPlainKind(listByteForms, { toCase, charsPerChar: 2 }),
    toPlainKind(listSpacedForms, { toCase, charsPerChar: 1, breaks: "as in the secret" }),
    toPlainKind(listBase32Forms, { toCase, charsPerChar: 1.5, ignoreCase: true }),
    toPlainKind(listHexOfBase64Forms, { toCase, charsPerChar: 2.6, ignoreCase: true }),
    ...alignments.flatMap((some) => [
      toBase64Kind((secret) => listBase64(toCase(secret), some), false),
      toBase64Kind((secret) => listNestedBase64(toCase(secret), some), true),
    ]),
  ];
}

type PlainOptions = {
  toCase(secret: string): string;
  charsPerChar: number;
  ignoreCase?: boolean;
  breaks?: SecretKind["breaks"];
};

function toPlainKind(
  listForms: (secret: string) => Iterable<string>,
  { toCase, charsPerChar, ignoreCase = false, breaks = "none" }: PlainOptions,
): SecretKind {
  return {
    ignoreCase,
    isNested: false,
    charsPerChar,
    *list(secret) {
      for (const text of listForms(toCase(secret))) {
        yield { text, sourceCharsMin: text.length, base64: null };
      }
    },
    breaks,
  };
}

function toBase64Kind(
  listNeedles: (secret: string) => Iterable<Base64Needle>,
  isNested: boolean,
): SecretKind {
  return {
    ignoreCase: false,
    isNested,
    charsPerChar: isNested ? 1.7 : 1.3,
    *list(secret) {
      for (const base64 of listNeedles(secret)) {
        const { core } = base64;
        yield { text: core, sourceCharsMin: core.length, base64 };
      }
    },
    breaks: "none",
  };
}

type Alignments = readonly number[];

function listBase64(secret: string, alignments: Alignments): Base64Needle[] {
  return listEncodedBytes(secret).flatMap((bytes) => toBase64Needles(bytes, alignments));
}

function listNestedBase64(secret: string, alignments: Alignments): Base64Needle[] {
  return listNestedBytes(secret).flatMap((bytes) => toNestedBase64Needles(bytes, alignments));
}

const kindsOfCases = cases.map((toCase) => ({
  toCase,
  short: toKindsOfCase(toCase, [base64Alignments]),
  long: toKindsOfCase(
    toCase,
    base64Alignments.map((alignment) => [alignment]),
  ),
}));
