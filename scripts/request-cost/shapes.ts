import { jsonShapes, textShapes } from "../../test/support/hostile-shapes.ts";
import type { Kind } from "./door.ts";

export type Shape<Value> = { kind: Kind; make(bytes: number): Value };

/** The kinds of the texts of `hostile-shapes.ts`. */
const kindsOfTexts: Record<string, Kind> = {
  "pairs repeated": "number",
  "only separators": "number",
  words: "number",
  spaces: "length",
  "wide characters": "length",
  "nested arrays as text": "depth",
  "tokens of the hub": "tokens",
  "prefixes of value tokens": "tokens",
  "forged value tokens": "tokens",
};
const kindsOfJson: Record<string, Kind> = {
  "many long keys": "length",
  "long digits": "length",
  "nested to the limit": "depth",
  "many secrets": "tokens",
};

function toShapes<Value>(
  makers: Record<string, (bytes: number) => Value>,
  kindOf: (name: string) => Kind,
): Record<string, Shape<Value>> {
  return Object.fromEntries(
    Object.entries(makers).map(([name, make]) => [name, { kind: kindOf(name), make }]),
  );
}

/** Texts that a caller may send where a text is expected. */
export const texts: Record<string, Shape<string>> = {
  ...toShapes(textShapes, (name) => kindsOfTexts[name] ?? "repetition"),
  "Fibonacci word": { kind: "repetition", make: writeFibonacci },
  "one letter, then another": {
    kind: "repetition",
    make: (bytes) => `${"a".repeat(Math.max(0, bytes - 1))}b`,
  },
  "a prefix and one letter": { kind: "tokens", make: (bytes) => `hub_enc_${"a".repeat(bytes)}` },
  "line feeds": { kind: "number", make: (bytes) => "\n".repeat(bytes) },
  "opened tags": { kind: "depth", make: (bytes) => "<a>".repeat(bytes / 3) },
};

/** Values that a caller may send where JSON is expected. */
export const values: Record<string, Shape<unknown>> = {
  ...toShapes(jsonShapes, (name) => kindsOfJson[name] ?? "number"),
  "one long key": { kind: "length", make: (bytes) => ({ ["k".repeat(bytes)]: 1 }) },
  "one long text": { kind: "length", make: (bytes) => "lorem ipsum ".repeat(bytes / 12) },
  "numbers of 300 digits": {
    kind: "length",
    make: (bytes) => fillNumbers("1234567890".repeat(30), bytes),
  },
  "numbers with an exponent": { kind: "number", make: (bytes) => fillNumbers("1e999", bytes) },
  "numbers of 20 digits": {
    kind: "number",
    make: (bytes) => fillNumbers("12345678901234567890", bytes),
  },
  "as many keys as are read": {
    kind: "number",
    make: (bytes) =>
      Object.fromEntries(
        Array.from({ length: Math.min(readValuesMax, Math.floor(bytes / 10)) }, (_, at) => [
          `${at}`.padStart(bytes / readValuesMax - 4, "k"),
          1,
        ]),
      ),
  },
  "spaces before a number": {
    kind: "length",
    make: (bytes) => ({ [rawJson]: `[${" ".repeat(bytes)}1]` }),
  },
  "one nested value": { kind: "depth", make: (bytes) => nestText(Math.floor(bytes / 2)) },
  "equal texts": {
    kind: "repetition",
    make: (bytes) => Array(Math.floor(bytes / 1_003)).fill("a".repeat(1_000)),
  },
  "texts with the prefix of value tokens": {
    kind: "tokens",
    make: (bytes) => Array(Math.floor(bytes / 1_011)).fill(`hub_enc_${"a".repeat(1_000)}`),
  },
};

/** A text, and a part of about half its length which a search finds late or never. */
export type Pair = { text: string; part: string };
export const pairs: Record<string, Shape<Pair>> = {
  "one letter, part ends otherwise": pair((n) => ({
    text: "a".repeat(n * 2),
    part: `${"a".repeat(n)}b`,
  })),
  "one letter, part begins otherwise": pair((n) => ({
    text: "a".repeat(n * 2),
    part: `b${"a".repeat(n)}`,
  })),
  "one letter, part differs in the middle": pair((n) => ({
    text: "a".repeat(n * 2),
    part: `${"a".repeat(n / 2)}b${"a".repeat(n / 2)}`,
  })),
  "a short part": pair((n) => ({
    text: "a".repeat(n * 3),
    part: `${"a".repeat(Math.sqrt(n))}b`,
  })),
  "Fibonacci words": pair((n) => ({
    text: writeFibonacci(n * 2),
    part: `${writeFibonacci(n)}c`,
  })),
  "a period": pair((n) => {
    const period = `${"a".repeat(Math.sqrt(n))}b`;
    return {
      text: period.repeat((n * 2) / period.length),
      part: `${period.repeat(n / period.length)}b`,
    };
  }),
  "one wide letter": pair((n) => ({
    text: "é".repeat(n),
    part: `${"é".repeat(n / 2)}x`,
  })),
  "a prefix of value tokens": {
    ...pair((n) => ({ text: `hub_enc_${"a".repeat(n * 2)}`, part: `hub_enc_${"a".repeat(n)}b` })),
    kind: "tokens",
  },
};

function pair(make: (third: number) => Pair): Shape<Pair> {
  return { kind: "repetition", make: (bytes) => make(Math.floor(bytes / 3)) };
}

/** Each prefix of this word is nearly a period of it, which is the worst case of simple searches. */
function writeFibonacci(bytes: number): string {
  let [last, word] = ["a", "ab"];
  while (word.length < bytes) [last, word] = [word, word + last];
  return word.slice(0, bytes);
}

/** As many values as a body of a webhook may have. */
const readValuesMax = 90_000;

function fillNumbers(number: string, bytes: number): unknown[] {
  const count = Math.min(readValuesMax, Math.floor(bytes / (number.length + 1)));
  return Array.from({ length: count }, () => JSON.rawJSON(number));
}

/** Nested deeper than `JSON.stringify` can write. */
function nestText(depth: number): unknown {
  return { [rawJson]: "[".repeat(depth) + "]".repeat(depth) };
}

const rawJson = "raw JSON";

/** Like `JSON.stringify`, and writes the values of `nestText`. */
export function writeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(/\{"raw JSON":"([[\] 1]*)"\}/g, "$1");
}
