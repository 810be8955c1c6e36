import { foldCase } from "./fold-case.ts";
import { decodeLayers } from "./text-views.ts";

/** Shorter secrets are masked as whole values only: as parts they would be everywhere. */
export const partCharsMin = 4;

/** Shorter secrets in hex, as byte lists or in base64 twice stand in many a text by chance. */
const bytesCharsMin = 8;

/**
 * The secret as given, trimmed, and as it reads when what looks like escapes in it is undone; also
 * with the plus for a space of forms, and where its UTF-8 was read as Latin-1 or Windows-1252.
 * By each form, how many characters of the original a stretch must have: no encoding is shorter.
 */
export function listTextForms(secret: string): Map<string, number> {
  const forms = new Map<string, number>();
  const add = (text: string, sourceCharsMin: number) => {
    if (text !== "" && !forms.has(text)) forms.set(text, sourceCharsMin);
  };
  for (const text of new Set([secret, secret.toWellFormed(), secret.trim()])) {
    if (text.length < partCharsMin) continue;
    const beforeMark = text.replace(openEscape, "");
    if (beforeMark.length >= partCharsMin) add(beforeMark, text.length);
    for (const form of decodeLayers(text)) {
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
 * The start of an escape at the end of a secret. Encoders that leave the mark itself alone, as
 * browsers leave `%` in addresses, make it an escape together with the characters after the secret.
 */
const openEscape = /(?:%[\da-f]?|\\|&)$/i;

/** Its bytes as UTF-16 that something read as Latin-1: a zero byte beside each letter. */
export function listWideForms(secret: string): string[] {
  return listWideTexts(secret).flatMap((text) => {
    const little = Buffer.from(text, "utf16le");
    const big = Buffer.from(little).swap16();
    // Without the zero that stands outermost: what reads such bytes may have dropped it.
    return [
      little.toString("latin1").replace(/\0$/, ""),
      big.toString("latin1").replace(/^\0/, ""),
    ];
  });
}

/** What is looked for as UTF-16: the secret as given, and trimmed if that leaves enough. */
function listWideTexts(secret: string): string[] {
  return [...new Set([secret, secret.trim()])].filter((text) => text.length >= partCharsMin);
}

/** Its bytes in hex, with and without separators, in small letters: the case is ignored. */
export function listHexForms(secret: string): string[] {
  const text = secret.trim();
  if (text.length < bytesCharsMin) return [];
  const hex = Buffer.from(text, "utf8").toString("hex");
  const pairs = hex.match(/../g) ?? [];
  const wide = Buffer.from(text, "utf16le").toString("hex");
  return [hex, wide, ...hexSeparators.map((separator) => pairs.join(separator))];
}

/** As MAC addresses, dumps and C or Go arrays have them; `\x` is for where it is not undone. */
const hexSeparators = [" ", ":", "-", "\\x", ",0x", ", 0x", " 0x"];

/** Its bytes as lists of decimal numbers, as arrays are printed. */
export function listByteForms(secret: string): string[] {
  const text = secret.trim();
  if (text.length < bytesCharsMin) return [];
  const bytes = [...Buffer.from(text, "utf8")];
  const forms = [bytes.join(","), bytes.join(", "), bytes.join(" ")];
  if (bytes.every((byte) => byte < 0x80)) return forms;
  // Java's bytes have a sign.
  return [...forms, bytes.map((byte) => (byte < 0x80 ? byte : byte - 256)).join(", ")];
}

/** What of a secret may stand within base64: itself, or itself within JSON or a URL, or as UTF-16. */
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
    return [little, Buffer.from(little).swap16()];
  });
  return [...[...texts].map((text) => Buffer.from(text, "utf8")), ...wide];
}

/** What is looked for in base64 within base64: the secret itself only. */
export function listNestedBytes(secret: string): Uint8Array[] {
  const trimmed = secret.trim();
  if (trimmed.length < bytesCharsMin) return [];
  return [...new Set([secret, trimmed])].map((text) => Buffer.from(text, "utf8"));
}

/** UUIDs and hex keys are the same in either case, and systems write them in either. */
export function isCaseless(secret: string): boolean {
  const text = secret.trim();
  return /^(?:[\da-f]{16,}|\{?[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}\}?)$/i.test(text);
}

/** The cases in which programs write a text whose case does not matter. */
export function listCases(secret: string): string[] {
  return [...new Set([secret, secret.toLowerCase(), secret.toUpperCase()])];
}

/** Compared without regard to case, these are one. */
export function listFoldedForms(secret: string): Map<string, number> {
  const folded = new Map<string, number>();
  for (const [form, sourceCharsMin] of listTextForms(secret)) {
    const text = foldCase(form);
    folded.set(text, Math.min(sourceCharsMin, folded.get(text) ?? sourceCharsMin));
  }
  return folded;
}

/** As a text reads when its breaks are removed. */
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

/** A text as JavaScript, Python, PHP and Go write it into JSON. */
function listJsonTexts(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = json.replace(/[^\0-\x7f]/g, toUnicodeEscape);
  const html = json.replace(/[<>&\u2028\u2029]/g, toUnicodeEscape);
  return [json, ascii, ascii.replaceAll("/", "\\/"), html];
}

function toUnicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
