import { gzipSync } from "node:zlib";
import {
  base32,
  bytesOf,
  codePoints,
  entityNames,
  form,
  hex,
  hexPairs,
  html,
  inC,
  insert,
  json,
  legacyEscape,
  longOctal,
  lowerHex,
  octal,
  percentAll,
  pythonBytes,
  quotedPrintable,
  shortOctal,
  toAscii,
  toGo,
  toUrl,
  twice,
  unicodeEscape,
  unpadded,
  utf16,
  utf32,
} from "./text-encoders.ts";

/** A form in which an outside system may return a secret. */
export type Echo = {
  name: string;
  /**
   * Whether the text around the secret is encoded with it, so that the form depends on that text.
   */
  isWhole: boolean;
  /** The minimum length of a secret, without spaces around it, for which this form is found. */
  charsMin: number;
  /** If absent, any secret can be written in this form. */
  suits?: (secret: string) => boolean;
  /** Writes a secret with a text before and after it. The texts are encoded with it or not. */
  write(secret: string, before: string, after: string): string;
};

const inPlace = (
  name: string,
  encode: (text: string) => string,
  charsMin = 0,
  suits = (_secret: string) => true,
): Echo => ({
  name,
  isWhole: false,
  charsMin,
  suits,
  write: (secret, before, after) => before + encode(secret) + after,
});

/** The texts and the secret are encoded together. */
const together = (
  name: string,
  charsMin: number,
  encode: (text: string) => string,
  suits = (_secret: string) => true,
): Echo => ({
  name,
  isWhole: true,
  charsMin,
  suits,
  write: (secret, before, after) => encode(before + secret + after),
});

const inBase64 = (name: string, finish: (base64: string) => string): Echo => ({
  name,
  isWhole: true,
  charsMin: 0,
  write: (secret, before, after) =>
    finish(Buffer.from(before + secret + after, "utf8").toString("base64")),
});

const inBase64Of = (name: string, finish: (text: string) => string): Echo => ({
  name,
  isWhole: true,
  charsMin: 0,
  write: (secret, before, after) =>
    Buffer.from(finish(JSON.stringify({ [before]: secret, after }))).toString("base64"),
});

const isKey = (text: string) =>
  /^(?:[\da-f]{16,}|[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12})$/i.test(text);
const isBeyondAscii = (text: string) => /[^\0-\x7f]/.test(text);
/** Whether the secret contains none of the characters that are removed when lines are joined. */
const isUnbroken = (text: string) => !/[\s\u00ad\u200b-\u200f\u2060\ufeff]/.test(text);
/** Whether nothing in the secret looks like what is removed between characters. */
const isPlain = (text: string) => /^[\w.~/@:%-]+$/.test(text);
/** The output of real encoders. Masking is tested with each of them. */
export const echoes: readonly Echo[] = [
  inPlace("plain", (text) => text),
  inPlace("JSON", json),
  inPlace("JSON in JSON", (text) => json(json(text))),
  inPlace("JSON in ASCII", (text) => toAscii(json(text))),
  inPlace("JSON in ASCII, capital hex", (text) =>
    json(text).replace(/[^\0-\x7f]/gu, (part) => unicodeEscape(part, true)),
  ),
  inPlace("JSON as PHP writes it", (text) => json(text).replaceAll("/", "\\/")),
  inPlace("JSON as Go writes it", (text) => toGo(json(text))),
  inPlace("JSON for HTML, capital hex", (text) =>
    json(text).replace(/[<>&']/g, (part) => unicodeEscape(part, true)),
  ),
  inPlace("JSON, every character escaped", (text) => unicodeEscape(text, false)),
  inPlace("JavaScript", (text) =>
    json(text).replace(/[<>&']/g, (part) => `\\x${part.charCodeAt(0).toString(16)}`),
  ),
  inPlace("percent, as encodeURIComponent", encodeURIComponent),
  inPlace("percent, as encodeURI", encodeURI),
  inPlace("percent, small hex", (text) => lowerHex(encodeURIComponent(text))),
  inPlace("percent, every byte", percentAll),
  inPlace("percent, every byte, small hex", (text) => lowerHex(percentAll(text))),
  inPlace("percent, as browsers write an address", (text) =>
    text.replace(/["<>']|[^!-~]/gu, percentAll),
  ),
  inPlace("percent twice", (text) => encodeURIComponent(encodeURIComponent(text))),
  inPlace("form", form),
  inPlace("JSON in a form", (text) => form(json(text))),
  inPlace("HTML", html),
  inPlace("HTML in JSON as Go writes it", (text) => json(html(text)).replaceAll("&", "\\u0026")),
  inPlace("hex", hex, 8),
  inPlace("hex, capitals", (text) => hex(text).toUpperCase(), 8),
  inBase64("base64", (base64) => base64),
  inBase64("base64, no padding", unpadded),
  inBase64("base64url", toUrl),
  inBase64("base64url, no padding", (base64) => toUrl(unpadded(base64))),
  inBase64("base64 in a URL", encodeURIComponent),
  inBase64("base64 as PHP writes it in JSON", (base64) => base64.replaceAll("/", "\\/")),
  inBase64("base64 in lines", (base64) => base64.replace(/.{60}/g, "$&\n")),
  inBase64("base64 in lines in JSON", (base64) => json(base64.replace(/.{76}/g, "$&\r\n"))),
  inBase64Of("base64 of JSON", (text) => text),
  inBase64Of("base64 of JSON as Python writes it", toAscii),
  inBase64Of("base64 of JSON as PHP writes it", (text) => toAscii(text).replaceAll("/", "\\/")),
  inBase64Of("base64 of JSON as Go writes it", toGo),
  {
    name: "basic authorization",
    isWhole: true,
    charsMin: 0,
    write: (secret, before) => `Basic ${Buffer.from(`${before}:${secret}`).toString("base64")}`,
  },
  inPlace("a key in capitals", (text) => text.toUpperCase(), 0, isKey),
  inPlace("a key in small letters", (text) => text.toLowerCase(), 0, isKey),
  inPlace("Markdown", (text) => text.replace(/[\\`*_{}[\]()#+\-.!|<>~]/g, "\\$&")),
  inPlace("a regular expression", (text) => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")),
  inPlace(
    "a shell word",
    (text) => text.replace(/[^\w@%+=:,./-]/g, (part) => (part > "~" ? part : `\\${part}`)),
    0,
    (text) => [...text].every((character) => character >= " "),
  ),
  inPlace("a string of C", inC),
  inPlace("octal, every byte", (text) => bytesOf(text).map(octal).join("")),
  inPlace("bytes of Python", pythonBytes),
  inPlace("braced code points", (text) => codePoints(text, (code) => `\\u{${code.toString(16)}}`)),
  inPlace(
    "legacy percent",
    legacyEscape,
    0,
    // Latin-1 bytes that are valid UTF-8 are decoded as UTF-8.
    (text) => !/[\xc2-\xf4][\x80-\xbf]/.test(text),
  ),
  inPlace("HTML in numbers", (text) => codePoints(text, (code) => `&#${code};`)),
  inPlace("HTML in hex", (text) => codePoints(text, (code) => `&#x${code.toString(16)};`)),
  inPlace("HTML in names", (text) =>
    text.replace(/./gs, (unit) => {
      const name = entityNames[unit];
      return name === undefined ? unit : `&${name};`;
    }),
  ),
  inPlace("hex with colons", (text) => hexPairs(text, "", ":").toUpperCase(), 8),
  inPlace("hex with spaces", (text) => hexPairs(text, "", " "), 8),
  inPlace("hex with dashes", (text) => hexPairs(text, "", "-"), 8),
  inPlace("hex of C", (text) => hexPairs(text, "\\x", ""), 0),
  inPlace("hex in an array", (text) => hexPairs(text, "", ", 0x"), 8),
  inPlace("hex of UTF-16", (text) => Buffer.from(text, "utf16le").toString("hex"), 8),
  inPlace("a list of bytes", (text) => bytesOf(text).join(", "), 8),
  together("the JSON of a Buffer", 8, (text) => JSON.stringify(Buffer.from(text, "utf8"))),
  together("base64 in base64", 8, (text) => twice(text, (base64) => base64)),
  together("base64url in base64", 8, (text) => twice(text, toUrl)),
  together("base64 of UTF-16 with a mark", 0, (text) => utf16(text, "little").toString("base64")),
  together("base64 of UTF-16 in the other order", 0, (text) =>
    utf16(text, "big").toString("base64"),
  ),
  together("UTF-16 read as Latin-1", 0, (text) => utf16(text, "little").toString("latin1")),
  together("UTF-16 in the other order read so", 0, (text) => utf16(text, "big").toString("latin1")),
  inPlace(
    "octal with few digits",
    (text) => text.replace(/[^ -~](?![0-7])/g, shortOctal).replace(/[^ -~]/g, longOctal),
    0,
    (text) => !text.includes("\\") && !isBeyondAscii(text),
  ),
  together("hex of base64", 8, (text) =>
    Buffer.from(Buffer.from(text, "utf8").toString("base64")).toString("hex"),
  ),
  together("base64 of hex", 8, (text) => Buffer.from(hex(text)).toString("base64")),
  together("base64 of hex, capitals", 8, (text) =>
    Buffer.from(hex(text).toUpperCase()).toString("base64"),
  ),
  together("base32", 8, base32),
  together("base32, small letters", 8, (text) => base32(text).toLowerCase()),
  together("UTF-32 read as Latin-1", 0, (text) => utf32(text, "little").toString("latin1")),
  together("UTF-32 in the other order read so", 0, (text) => utf32(text, "big").toString("latin1")),
  {
    name: "base64 of UTF-32",
    isWhole: true,
    charsMin: 0,
    // A test would take more of the text around the secret for a part of it.
    write: (secret, before, after) =>
      utf32(before.slice(0, 2) + secret + after.slice(0, 2), "little").toString("base64"),
  },
  together("gzip in base64", 0, (text) => gzipSync(text).toString("base64")),
  together("gzip read as Latin-1", 0, (text) => gzipSync(text).toString("latin1")),
  inPlace("groups of four", (text) => insert(text, " ", 4), 8, isPlain),
  inPlace("groups of four with hyphens", (text) => insert(text, "-", 4), 8, isPlain),
  inPlace(
    "full-width letters",
    (text) => text.replace(/[!-~]/g, (unit) => String.fromCharCode(unit.charCodeAt(0) + 0xfee0)),
    8,
    isPlain,
  ),
  inPlace("an array of characters", (text) => [...text].join('", "'), 8, isPlain),
  inPlace("an array of characters of Python", (text) => [...text].join("', '"), 8, isPlain),
  inPlace("ANSI colours", (text) => insert(text, "\u001b[1;32m", 5), 0, isPlain),
  inPlace("tags", (text) => insert(text, '<b class="x">', 5), 0, isPlain),
  inPlace("CDATA", (text) => insert(text, "]]><![CDATA[", 6), 0, isPlain),
  inPlace("joined strings", (text) => insert(text, '" + "', 5), 0, isPlain),
  inPlace("wrapped lines", (text) => insert(text, "\r\n    ", 7), 0, isUnbroken),
  inPlace("spaces of no width", (text) => insert(text, "\u200b", 5), 0, isUnbroken),
  together("quoted-printable", 0, quotedPrintable, (text) => !text.includes("\r")),
  inPlace(
    "UTF-8 read as Latin-1",
    (text) => Buffer.from(text, "utf8").toString("latin1"),
    0,
    isBeyondAscii,
  ),
  inPlace(
    "UTF-8 read as Windows-1252",
    (text) => new TextDecoder("windows-1252").decode(Buffer.from(text, "utf8")),
    0,
    isBeyondAscii,
  ),
];
