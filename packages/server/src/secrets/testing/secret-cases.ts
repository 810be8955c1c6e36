import { parseJson } from "@hub/connector";
import fc from "fast-check";
import { anyText } from "../../lib/testing/any-text.ts";
import { type Echo, echoes } from "./secret-echoes.ts";

/** A secret of a call, whether case is ignored, and whether it belongs to the called row. */
export type Secret = { text: string; anyCase: boolean; ofRow?: boolean };

const awkward = fc.string({
  unit: fc.constantFrom(
    ..."aB3\"\\<>&'/+ %=?;:-_.~{}\u0000\u0001\t\n\r\u2028\u2029é€🔑",
    "%41",
    "\\n",
    "&lt;",
    "hub_enc_",
  ),
  minLength: 1,
  maxLength: 24,
});
const pem = fc
  .array(fc.base64String({ minLength: 64, maxLength: 64 }), { minLength: 1, maxLength: 3 })
  .map((lines) => `-----BEGIN KEY-----\n${lines.join("\n")}\n-----END KEY-----\n`);
const short = fc.oneof(
  awkward,
  anyText({ minLength: 1, maxLength: 24 }),
  fc.string({ unit: "grapheme", minLength: 4, maxLength: 24 }),
  fc.base64String({ minLength: 4, maxLength: 60 }),
  fc.uuid(),
  fc.bigInt({ min: 0n, max: 10n ** 24n }).map(String),
  pem,
);
const charsMax = 4_000;
/** Long secrets either repeat themselves, so that matches overlap, or do not. */
const long = fc.oneof(
  fc
    .tuple(short, fc.integer({ min: 25, max: charsMax }))
    .map(([text, chars]) => text.repeat(Math.ceil(chars / text.length)).slice(0, chars)),
  fc
    .uint8Array({ minLength: 30, maxLength: 3_000, size: "max" })
    .map((bytes) => Buffer.from(bytes).toString("base64").slice(0, charsMax)),
  fc
    .tuple(fc.bigInt({ min: 1n, max: 10n ** 24n }), fc.integer({ min: 2, max: 160 }))
    .map(([digits, times]) => String(digits).repeat(times).slice(0, charsMax)),
);

/** 1 to 4,000 characters of well-formed text, because stored secrets are UTF-8. */
export const secretTexts: fc.Arbitrary<string> = fc
  .oneof({ weight: 19, arbitrary: short }, { weight: 1, arbitrary: long })
  .map((text) => text.toWellFormed());

/**
 * Without the first characters of escapes: encoders never leave them unescaped before encoded text.
 */
const around = fc.oneof(
  fc.constant(""),
  fc.lorem({ maxCount: 3 }),
  fc.string({ unit: "grapheme-ascii", maxLength: 9 }).map((text) => text.replace(/[\\%&]/g, ":")),
);
const pathCharacters = [..."abzABZ019-._~!$&'()*+,;=:@", "%20", "%C3%A9", "%2F"];
// Not `webUrl`, which makes a table of all characters, as the unit "binary" does.
const address = fc
  .tuple(
    fc.domain(),
    fc.array(fc.string({ unit: fc.constantFrom(...pathCharacters), maxLength: 8 })),
  )
  .map(([domain, segments]) => ["https:/", domain, ...segments].join("/"));
const innocent = fc.oneof(fc.lorem({ maxCount: 4 }), address, anyText());

type Planting = { secrets: readonly Secret[]; toToken: (text: string) => string };

/** Whether a text is a secret of the row only, so that its token must be bound to the row. */
export function isOfRow(secrets: readonly Secret[], text: string): boolean {
  return secrets.every((secret) => secret.text !== text || secret.ofRow === true);
}

/** A text that contains a secret in a form that outside systems write. */
export function plantEcho({ secrets }: Pick<Planting, "secrets">): fc.Arbitrary<string> {
  const form = fc.constantFrom(...secrets).chain((secret) => {
    const written = secret.anyCase ? mixCase(secret.text) : fc.constant(secret.text);
    return fc.tuple(written, fc.constantFrom(...listEchoes(secret)));
  });
  return fc
    .tuple(form, around, around)
    .map(([[text, { write }], before, after]) => write(text, before, after));
}

/** A text with echoes, with tokens, or without secrets. */
export function plantText(planting: Planting): fc.Arbitrary<string> {
  const { secrets, toToken } = planting;
  const echo = plantEcho(planting);
  const token = fc.constantFrom(...secrets).map(({ text }) => `=${toToken(text)}-prod`);
  return fc.oneof(
    { weight: 4, arbitrary: echo },
    { weight: 2, arbitrary: innocent },
    { weight: 1, arbitrary: fc.tuple(echo, token, echo).map((parts) => parts.join("")) },
    // Even a short secret is found as a whole value.
    { weight: 1, arbitrary: fc.constantFrom(...secrets).map(({ text }) => text) },
  );
}

/** A JSON value with generated texts and keys, and with numbers, including a secret's digits. */
export function plantJson(planting: Planting): fc.Arbitrary<unknown> {
  const texts = plantText(planting);
  const digits = fc.constantFrom(...planting.secrets).map(({ text }) => text);
  const numbers = fc.oneof(
    digits.map((text) => (/^\d+$/.test(text) ? parseJson(`1${text}`) : 1)),
    digits.map((text) => (/^[1-9]\d*$/.test(text) ? parseJson(text) : 2)),
    fc.integer(),
    fc.double(),
    fc.bigInt(),
  );
  const bytes = fc
    .tuple(fc.constantFrom(...planting.secrets), around, around)
    .map(([{ text }, before, after]) => Buffer.from(before + text + after, "utf8"));
  const byteLists = fc.oneof(
    bytes.map((buffer) => buffer.toJSON()),
    bytes.map((buffer) => [...buffer, "end"]),
  );
  const key = fc.oneof(innocent, plantEcho(planting), fc.constant("__proto__"));
  const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: "small" },
      texts,
      numbers,
      byteLists,
      fc.constantFrom(true, false, null),
      fc.array(tie("tree"), { maxLength: 4 }),
      fc.dictionary(key, tie("tree"), { maxKeys: 4 }),
    ),
  }));
  return tree;
}

/** Base64 and hex of every mixture of cases are not searched for. */
function listEchoes({ text, anyCase }: Secret): readonly Echo[] {
  const chars = text.trim().length;
  return echoes.filter(({ isWhole, charsMin, suits }) => {
    if (anyCase && (isWhole || charsMin > 0)) return false;
    return chars >= charsMin && suits?.(text) !== false;
  });
}

function mixCase(text: string): fc.Arbitrary<string> {
  return fc
    .integer({ min: 0, max: 2 ** 16 })
    .map((bits) =>
      text.replace(/[A-Za-z]/g, (letter) =>
        (bits >> (letter.charCodeAt(0) % 16)) & 1 ? letter.toUpperCase() : letter.toLowerCase(),
      ),
    );
}
