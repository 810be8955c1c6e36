import { foldCase } from "../views/fold-case.ts";
import { decodeLayers } from "../views/text-views.ts";
import { toBase64Needles } from "./base64-needles.ts";

/** Finds the texts after layers of apparent escapes are decoded. */
export type Decode = (text: string) => Iterable<string>;

/** Shorter secrets are masked as whole values only, because as parts they occur everywhere. */
export const partCharsMin = 4;

/** Shorter secrets in hex, in byte lists or in nested base64 occur by chance in many texts. */
const bytesCharsMin = 8;

/**
 * The text forms of a secret: as given, trimmed, and with apparent escapes decoded. Each also in
 * form encoding with `+` for spaces, and as UTF-8 that was decoded as Latin-1 or Windows-1252. The
 * values are the minimum lengths of a match in the original text: encodings are never shorter.
 */
export function listTextForms(secret: string, decode: Decode = decodeLayers): Map<string, number> {
  const forms = new Map<string, number>();
  const add = (text: string, sourceCharsMin: number) => {
    if (text !== "" && !forms.has(text)) forms.set(text, sourceCharsMin);
  };
  for (const text of new Set([secret, secret.toWellFormed(), secret.trim()])) {
    if (text.length < partCharsMin) continue;
    const beforeMark = text.replace(openEscape, "");
    if (beforeMark.length >= partCharsMin) add(beforeMark, text.length);
    for (const form of decode(text)) {
      add(form, text.length);
      if (form.includes(" ")) add(form.replaceAll(" ", "+"), text.length);
      const joined = joinLines(form);
      if (joined !== form && joined.length >= partCharsMin) add(joined, joined.length);
      for (const misread of listMisread(form)) add(misread, text.length);
    }
  }
  return forms;
}

/**
 * The beginning of an escape at the end of a secret. If an encoder does not escape the mark, as
 * browsers do not escape `%` in addresses, the mark and the text after the secret form an escape.
 */
const openEscape = /(?:%[\da-f]?|\\|&)$/i;

/** The secret in UTF-16 or UTF-32 that was decoded as Latin-1, with zero bytes beside each letter. */
export function listWideForms(secret: string): string[] {
  return listWideTexts(secret).flatMap((text) => {
    const little = Buffer.from(text, "utf16le");
    const big = Buffer.from(little).swap16();
    const [little32, big32] = listUtf32(text);
    // A reader may drop the outermost zero bytes, so the forms do not have them.
    return [
      little.toString("latin1").replace(/\0$/, ""),
      big.toString("latin1").replace(/^\0/, ""),
      little32.toString("latin1").replace(/\0{1,3}$/, ""),
      big32.toString("latin1").replace(/^\0{1,3}/, ""),
    ];
  });
}

/** The text in UTF-32, in both orders of bytes. */
function listUtf32(text: string): [Buffer, Buffer] {
  const little = Buffer.alloc([...text].length * 4);
  let at = 0;
  for (const character of text) at = little.writeUInt32LE(character.codePointAt(0) ?? 0, at);
  return [little, Buffer.from(little).swap32()];
}

/** The texts to find in UTF-16: the secret as given, and trimmed if it stays long enough. */
function listWideTexts(secret: string): string[] {
  return [...new Set([secret, secret.trim()])].filter((text) => text.length >= partCharsMin);
}

/**
 * The characters one by one, as programs print a list of them, in groups of four, and in full width, as
 * input methods of East Asia write them.
 */
export function* listSpacedForms(secret: string): Generator<string> {
  const text = secret.trim();
  if (text.length < bytesCharsMin) return;
  const characters = [...text];
  for (const separator of ['","', '", "', "','", "', '", ", "]) yield characters.join(separator);
  if (!/\s/.test(text)) {
    const groups = text.match(/.{1,4}/gsu) ?? [];
    for (const separator of [" ", "-"]) yield groups.join(separator);
  }
  const full = text.replace(/[!-~]/g, (unit) => String.fromCharCode(unit.charCodeAt(0) + 0xfee0));
  yield full.replaceAll(" ", "\u3000");
}

/** Base32 (RFC 4648) at each of the five alignments, without the characters at its edges. The search ignores case. */
export function* listBase32Forms(secret: string): Generator<string> {
  const text = secret.trim();
  if (text.length < bytesCharsMin) return;
  const bytes = Buffer.from(text, "utf8");
  for (let bytesBefore = 0; bytesBefore < 5; bytesBefore += 1) {
    const from = Math.ceil((bytesBefore * 8) / 5);
    const to = Math.floor(((bytesBefore + bytes.length) * 8) / 5);
    yield toBase32(bytes, bytesBefore).slice(from, to);
  }
}

function toBase32(bytes: Uint8Array, bytesBefore: number): string {
  const parts: string[] = ["a".repeat(Math.floor((bytesBefore * 8) / 5))];
  let [bits, count] = [0, (bytesBefore * 8) % 5];
  for (const byte of bytes) {
    bits = ((bits << 8) | byte) & 0xfff;
    count += 8;
    for (; count >= 5; count -= 5) parts.push(base32Letters.charAt((bits >> (count - 5)) & 31));
  }
  return parts.join("");
}

const base32Letters = "abcdefghijklmnopqrstuvwxyz234567";

/** The base64 of the bytes, written in hex. The search ignores case. */
export function* listHexOfBase64Forms(secret: string): Generator<string> {
  for (const bytes of listNestedBytes(secret)) {
    for (const { core } of toBase64Needles(bytes))
      yield Buffer.from(core, "latin1").toString("hex");
  }
}

/** The bytes in hex, with and without separators, in lower case. The search ignores case. */
export function* listHexForms(secret: string): Generator<string> {
  const text = secret.trim();
  if (text.length < bytesCharsMin) return;
  const hex = Buffer.from(text, "utf8").toString("hex");
  yield hex;
  yield Buffer.from(text, "utf16le").toString("hex");
  const pairs = hex.match(/../g) ?? [];
  for (const separator of hexSeparators) yield pairs.join(separator);
}

/**
 * Separators in MAC addresses, dumps and arrays of C or Go. `\x` is for texts where it is not
 * decoded.
 */
const hexSeparators = [" ", ":", "-", "\\x", ",0x", ", 0x", " 0x"];

/** The bytes as lists of decimal numbers, as programs print arrays. */
export function* listByteForms(secret: string): Generator<string> {
  const text = secret.trim();
  if (text.length < bytesCharsMin) return;
  const bytes = [...Buffer.from(text, "utf8")];
  for (const separator of [",", ", ", " "]) yield bytes.join(separator);
  if (bytes.every((byte) => byte < 0x80)) return;
  // Bytes in Java are signed.
  yield bytes.map((byte) => (byte < 0x80 ? byte : byte - 256)).join(", ");
}

/**
 * The bytes of a secret that may be encoded as base64: the secret as text, in JSON, in a URL, and
 * in UTF-16, in UTF-32 and in hex.
 */
export function listEncodedBytes(secret: string): Uint8Array[] {
  const texts = new Set([secret]);
  const trimmed = secret.trim();
  if (trimmed.length >= partCharsMin) texts.add(trimmed);
  if (secret.includes("\n")) {
    const unix = secret.replaceAll("\r\n", "\n");
    texts.add(unix).add(unix.replaceAll("\n", "\r\n"));
  }
  for (const text of [...texts]) {
    if (!/^[\w .~-]*$/.test(text)) for (const json of listJsonTexts(text)) texts.add(json);
    if (/^[\w.~-]*$/.test(text)) continue;
    const percent = encodeURIComponent(text.toWellFormed());
    texts.add(percent).add(percent.replaceAll("%20", "+"));
  }
  const wide = listWideTexts(secret).flatMap((text) => {
    const little = Buffer.from(text, "utf16le");
    return [little, Buffer.from(little).swap16(), ...listUtf32(text)];
  });
  const hex = trimmed.length < bytesCharsMin ? "" : Buffer.from(trimmed, "utf8").toString("hex");
  if (hex !== "") texts.add(hex).add(hex.toUpperCase());
  return [...[...texts].map((text) => Buffer.from(text, "utf8")), ...wide];
}

/** The bytes that are searched for in nested base64: only the secret itself. */
export function listNestedBytes(secret: string): Uint8Array[] {
  const trimmed = secret.trim();
  if (trimmed.length < bytesCharsMin) return [];
  return [...new Set([secret, trimmed])].map((text) => Buffer.from(text, "utf8"));
}

/** UUIDs and hex keys have the same meaning in upper and lower case, and systems write both. */
export function isCaseless(secret: string): boolean {
  const text = secret.trim();
  return /^(?:[\da-f]{16,}|\{?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\}?)$/i.test(text);
}

/** How programs write text whose case does not matter: as given, and in small and capital letters. */
export const cases: ReadonlyArray<(secret: string) => string> = [
  (secret) => secret,
  (secret) => secret.toLowerCase(),
  (secret) => secret.toUpperCase(),
];

/** The text forms, folded for a comparison without case. */
export function listFoldedForms(secret: string, decode?: Decode): Map<string, number> {
  const folded = new Map<string, number>();
  for (const [form, sourceCharsMin] of listTextForms(secret, decode)) {
    const text = foldCase(form);
    folded.set(text, Math.min(sourceCharsMin, folded.get(text) ?? sourceCharsMin));
  }
  return folded;
}

/** Removes line breaks with indentation, and characters without width. */
function joinLines(text: string): string {
  return text
    .trim()
    .replace(/[\r\n]\s*/g, "")
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, "");
}

function listMisread(text: string): string[] {
  if (!/[^\0-\x7f]/.test(text)) return [];
  const bytes = Buffer.from(text, "utf8");
  return [bytes.toString("latin1"), new TextDecoder("windows-1252").decode(bytes)];
}

/** The JSON of a text as JavaScript, Python, PHP and Go write it. */
function listJsonTexts(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = json.replace(/[^\0-\x7f]/g, toUnicodeEscape);
  const html = json.replace(/[<>&\u2028\u2029]/g, toUnicodeEscape);
  return [json, ascii, ascii.replaceAll("/", "\\/"), html];
}

function toUnicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
