import { parseJson, toJsonText } from "@hub/connector";
import fc from "fast-check";
import { createKeyRing } from "./key-ring.ts";
import { mapJson } from "./map-json.ts";
import { createMask } from "./mask.ts";
import { echoes } from "./secret-echoes.ts";
import { findTokenSpans } from "./token-format.ts";
import { findValue, openText, sealValue } from "./value-tokens.ts";

/** A call's secrets, and a result in which they show in many forms. */
export type MaskingCase = { secrets: string[]; result: unknown };

const ring = createKeyRing([new Uint8Array(32).fill(7), new Uint8Array(32).fill(9)]);
const userId = "6f1e0b9a-3c4d-4e5f-8a6b-7c8d9e0f1a2b";

const awkward = fc.string({
  unit: fc.constantFrom(..."aB3\"\\<>&'/+ %=?;:-_.~{}\u0001\t\n\u2028é€🔑", "%41", "\\n", "&lt;"),
  minLength: 1,
  maxLength: 24,
});
const secret = fc.oneof(
  awkward,
  fc.string({ unit: "binary", minLength: 1, maxLength: 24 }),
  fc.string({ unit: "grapheme", minLength: 4, maxLength: 24 }),
  fc.base64String({ minLength: 4, maxLength: 60 }),
  fc.uuid(),
  fc.bigInt({ min: 0n, max: 10n ** 24n }).map(String),
  fc
    .array(fc.base64String({ minLength: 64, maxLength: 64 }), { minLength: 1, maxLength: 3 })
    .map((lines) => `-----BEGIN KEY-----\n${lines.join("\n")}\n-----END KEY-----\n`),
);
/** Without the beginnings of escapes: no encoder leaves one standing before what it encodes. */
const around = fc.oneof(
  fc.constant(""),
  fc.lorem({ maxCount: 3 }),
  fc.string({ unit: "grapheme-ascii", maxLength: 9 }).map((text) => text.replace(/[\\%&]/g, ":")),
);
const innocent = fc.oneof(fc.lorem({ maxCount: 4 }), fc.webUrl(), fc.string({ unit: "binary" }));

/** Cases for `checkMasking`. */
export const maskingCases: fc.Arbitrary<MaskingCase> = fc
  .array(secret, { minLength: 1, maxLength: 4 })
  .chain((secrets) => fc.record({ secrets: fc.constant(secrets), result: toResult(secrets) }));

function toResult(secrets: readonly string[]): fc.Arbitrary<unknown> {
  const echo = fc
    .tuple(fc.constantFrom(...secrets), fc.constantFrom(...echoes), around, around)
    .map(([text, { write }, before, after]) => write(text, before, after));
  const token = fc.constantFrom(...secrets).map((text) => `=${sealValue(ring, userId, text)}-prod`);
  const texts = fc.oneof(
    { weight: 4, arbitrary: echo },
    { weight: 2, arbitrary: innocent },
    { weight: 1, arbitrary: fc.tuple(echo, token, echo).map((parts) => parts.join("")) },
  );
  const numbers = fc.oneof(
    fc.constantFrom(...secrets).map((text) => (/^\d+$/.test(text) ? parseJson(`1${text}`) : 1)),
    fc.constantFrom(...secrets).map((text) => (/^[1-9]\d*$/.test(text) ? parseJson(text) : 2)),
    fc.integer(),
    fc.double(),
    fc.bigInt(),
  );
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      texts,
      numbers,
      fc.constantFrom(true, false, null),
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(fc.oneof(innocent, echo, fc.constant("__proto__")), tie("tree"), {
        maxKeys: 4,
      }),
    ),
  }));
  return tree;
}

/** Throws when a case breaks what masking promises. */
export function checkMasking({ secrets, result }: MaskingCase): void {
  const mask = createMask({ ring, userId, enabled: true });
  for (const text of secrets) mask.addSecret(text);
  const sealed = mask.sealJson(result);
  parseJson(toJsonText(sealed));
  for (const text of listTexts(sealed))
    for (const part of cutTokens(text)) checkPart(part, secrets);
  checkWholes(sealed, secrets);
  expectSame(toComparable(openAll(sealed)), toComparable(openAll(result)), "opens to the original");
  checkIdentity(result, sealed);
  if (!Object.is(mask.sealJson(sealed), sealed))
    throw new Error("Sealing a second time changed something");
}

/** No secret may be left in a part without tokens, nor anything that decodes to one. */
function checkPart(part: string, secrets: readonly string[]): void {
  for (const text of secrets.filter(({ length }) => length >= 4)) {
    for (const { name, isWhole, charsMin, write } of echoes) {
      if (isWhole || text.trim().length < charsMin) continue;
      if (part.includes(write(text, "", ""))) throw new Error(`Left as ${name}: ${part}`);
    }
    for (const bytes of listDecodings(part)) {
      const forms = [text, JSON.stringify(text).slice(1, -1)];
      if (forms.some((form) => bytes.includes(form))) throw new Error(`Left as base64: ${part}`);
    }
  }
}

/** However short it is, no secret may be left as a whole value. */
function checkWholes(sealed: unknown, secrets: readonly string[]): void {
  const check = (text: string) => {
    if (secrets.includes(text)) throw new Error(`Left as a whole value: ${text}`);
    return text;
  };
  mapJson(sealed, { mapText: check, mapNumber: (_number, digits) => check(digits) });
}

/** What each run of base64 characters decodes to, wherever its four-character groups begin. */
function* listDecodings(part: string): Iterable<Buffer> {
  for (const [run] of part.replace(/[\r\n]/g, "").matchAll(/[\w+/-]{5,}/g)) {
    for (const skipped of [0, 1, 2, 3]) yield Buffer.from(run.slice(skipped), "base64url");
  }
}

function cutTokens(text: string): string[] {
  const parts: string[] = [];
  let copied = 0;
  for (const { start, end } of findTokenSpans(text)) {
    if (start < copied || findValue(ring, userId, text.slice(start, end)) === null) continue;
    parts.push(text.slice(copied, start));
    copied = end;
  }
  return [...parts, text.slice(copied)];
}

function listTexts(value: unknown): string[] {
  const texts: string[] = [];
  const note = (text: string) => {
    texts.push(text);
    return text;
  };
  mapJson(value, { mapText: note, mapKey: note });
  return texts;
}

function openAll(value: unknown): unknown {
  const open = (text: string) => openText(ring, userId, text);
  return mapJson(value, { mapText: open, mapKey: open });
}

/** A number that was a secret comes back as the text of its digits, so numbers count as such. */
function toComparable(value: unknown): string {
  return toJsonText(
    mapJson(value, { mapText: (text) => text, mapNumber: (_number, digits) => digits }),
  );
}

/** What did not change is the very same object, not a copy of it. */
function checkIdentity(before: unknown, after: unknown): void {
  if (typeof before !== "object" || typeof after !== "object" || before === after) return;
  if (before === null || after === null) return;
  if (toJsonText(before) === toJsonText(after)) throw new Error("An untouched part was copied");
  const [olds, news] = [Object.values(before), Object.values(after)];
  // Keys that look like numbers may change places; only lists keep their order for certain.
  if (!Array.isArray(before)) return;
  for (const [index, old] of olds.entries()) checkIdentity(old, news[index]);
}

function expectSame(actual: string, expected: string, promise: string): void {
  if (actual !== expected) throw new Error(`Not kept: ${promise}\n${actual}\n${expected}`);
}
