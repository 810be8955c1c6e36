import { toScimError } from "./scim-fault.ts";

/** A value that a filter compares with. */
export type ScimScalar = string | number | boolean | null;

/** One comparison of a filter, whose names are in lower case: `userName eq "ada"`. */
export type Comparison = { attribute: string; value: ScimScalar };

/** One condition of a filter: a comparison, which `elements` limit to some elements of a list. */
export type FilterTerm = {
  /** In lower case, without the URN of its schema: `username`, `emails.value`. */
  attribute: string;
  /** From the brackets of `emails[type eq "work"].value`. */
  elements: readonly Comparison[];
  /** Undefined for `members[value eq "1"]`, which only asks whether there is such an element. */
  value?: ScimScalar;
};

/** The path of a PATCH operation. */
export type AttributePath = {
  /** In lower case, without the URN of its schema. */
  attribute: string;
  elements: readonly Comparison[] | null;
  /** After the brackets: `value` of `emails[type eq "work"].value`. In lower case. */
  sub: string | null;
};

const textCharsMax = 2_000;
const termsMax = 10;

/**
 * Parses a filter of comparisons by `eq` that are joined by `and`, which is what identity providers send. Takes one pass over
 * the text. Throws `invalidFilter` for everything else.
 */
export function parseFilter(text: string): FilterTerm[] {
  const reader = createReader(text, "invalidFilter");
  const terms = readJoined(reader, () => readTerm(reader));
  if (!reader.isAtEnd()) throw reader.refuse();
  return terms;
}

/** Parses the path of a PATCH operation. Throws `invalidPath`. */
export function parsePath(text: string): AttributePath {
  const reader = createReader(text, "invalidPath");
  const attribute = reader.takeName();
  if (!reader.take("[")) {
    if (!reader.isAtEnd()) throw reader.refuse();
    return { attribute, elements: null, sub: null };
  }
  const elements = readElements(reader);
  const sub = reader.take(".") ? reader.takeName() : null;
  if (!reader.isAtEnd()) throw reader.refuse();
  return { attribute, elements, sub };
}

/** The name of an attribute in lower case, without the URN of a schema that the hub knows. */
export function toAttributeName(name: string): string {
  const lower = name.toLowerCase();
  for (const urn of knownUrns) {
    if (lower === urn) return urn;
    if (lower.startsWith(`${urn}:`) || lower.startsWith(`${urn}.`)) {
      const rest = lower.slice(urn.length + 1);
      return urn === enterpriseUrn ? `${urn}:${rest}` : rest;
    }
  }
  return lower;
}

/** Of the enterprise extension, which the hub reads and does not keep. */
export const enterpriseUrn = "urn:ietf:params:scim:schemas:extension:enterprise:2.0:user";
const knownUrns = [
  "urn:ietf:params:scim:schemas:core:2.0:user",
  "urn:ietf:params:scim:schemas:core:2.0:group",
  enterpriseUrn,
] as const;

type Reader = ReturnType<typeof createReader>;

function readTerm(reader: Reader): FilterTerm {
  const attribute = reader.takeName();
  if (!reader.take("[")) return { attribute, elements: [], value: readValue(reader) };
  const elements = readElements(reader);
  if (!reader.take(".")) return { attribute, elements };
  const sub = reader.takeName();
  return { attribute: `${attribute}.${sub}`, elements, value: readValue(reader) };
}

/** What follows an opening bracket, with the closing one. */
function readElements(reader: Reader): Comparison[] {
  const elements = readJoined(reader, () => {
    const attribute = reader.takeName();
    return { attribute, value: readValue(reader) };
  });
  if (!reader.take("]")) throw reader.refuse();
  return elements;
}

function readValue(reader: Reader): ScimScalar {
  if (reader.takeWord() !== "eq") throw reader.refuse();
  return reader.takeScalar();
}

function readJoined<Term>(reader: Reader, readOne: () => Term): Term[] {
  const terms = [readOne()];
  while (reader.peekWord() === "and") {
    reader.takeWord();
    if (terms.length === termsMax) throw reader.refuse();
    terms.push(readOne());
  }
  return terms;
}

const isOfName = (code: number) =>
  (code >= 48 && code <= 58) || // digits and the colon
  (code >= 65 && code <= 90) ||
  (code >= 97 && code <= 122) ||
  code === 36 || // $
  code === 45 || // -
  code === 46 || // .
  code === 95; // _

function createReader(text: string, fault: "invalidFilter" | "invalidPath") {
  let at = 0;
  const refuse = () =>
    toScimError(
      fault,
      fault === "invalidFilter"
        ? `The filter was not understood at character ${at + 1}. Filters compare attributes by eq, and join comparisons by and.`
        : `The path was not understood at character ${at + 1}.`,
    );
  if (text.length > textCharsMax) throw refuse();

  const skipSpaces = () => {
    while (text[at] === " ") at += 1;
  };
  const findEnd = (isPart: (code: number) => boolean) => {
    let end = at;
    while (end < text.length && isPart(text.charCodeAt(end))) end += 1;
    return end;
  };
  const peekWord = () => {
    skipSpaces();
    return text.slice(at, findEnd(isOfName)).toLowerCase();
  };
  const takeWord = () => {
    const word = peekWord();
    at += word.length;
    return word;
  };
  const takeText = (): string => {
    const start = at;
    at += 1;
    while (at < text.length && text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    at += 1;
    try {
      const value: unknown = JSON.parse(text.slice(start, at));
      if (typeof value === "string") return value;
    } catch {
      // Refused below.
    }
    throw refuse();
  };

  return {
    refuse,
    peekWord,
    takeWord,
    isAtEnd() {
      skipSpaces();
      return at >= text.length;
    },
    take(sign: "[" | "]" | ".") {
      if (sign !== ".") skipSpaces();
      if (text[at] !== sign) return false;
      at += 1;
      return true;
    },
    takeName() {
      const word = takeWord();
      if (word === "" || word.startsWith(".") || word.endsWith(".")) throw refuse();
      return toAttributeName(word);
    },
    takeScalar(): ScimScalar {
      skipSpaces();
      if (text[at] === '"') return takeText();
      const word = takeWord();
      if (word === "true" || word === "false") return word === "true";
      if (word === "null") return null;
      if (/^-?\d{1,15}$/.test(word)) return Number(word);
      throw refuse();
    },
  };
}
