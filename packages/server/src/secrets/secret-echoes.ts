/** One way in which an outside system may give a secret back. */
export type Echo = {
  name: string;
  /** What surrounds the secret is encoded with it, so that its own form depends on that. */
  isWhole: boolean;
  /** Promised for secrets with so many characters between the spaces around them. */
  charsMin: number;
  /** The echo of a secret with a text before and after it, which is encoded with it or not. */
  write(secret: string, before: string, after: string): string;
};

const inPlace = (name: string, encode: (text: string) => string, charsMin = 0): Echo => ({
  name,
  isWhole: false,
  charsMin,
  write: (secret, before, after) => before + encode(secret) + after,
});

const inBase64 = (name: string, finish: (base64: string) => string): Echo => ({
  name,
  isWhole: true,
  charsMin: 0,
  write: (secret, before, after) =>
    finish(Buffer.from(before + secret + after, "utf8").toString("base64")),
});

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const unicodeEscape = (character: string, upper: boolean) =>
  [...Array(character.length).keys()]
    .map((index) => {
      const hex = character.charCodeAt(index).toString(16).padStart(4, "0");
      return `\\u${upper ? hex.toUpperCase() : hex}`;
    })
    .join("");
const toAscii = (text: string) =>
  text.replace(/[^\0-\x7f]/gu, (part) => unicodeEscape(part, false));
const toGo = (text: string) =>
  text.replace(/[<>&\u2028\u2029]/g, (part) => unicodeEscape(part, false));

const inBase64Of = (name: string, finish: (text: string) => string): Echo => ({
  name,
  isWhole: true,
  charsMin: 0,
  write: (secret, before, after) =>
    Buffer.from(finish(JSON.stringify({ [before]: secret, after }))).toString("base64"),
});

const percentAll = (text: string) =>
  [...Buffer.from(text, "utf8")]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");
const lowerHex = (text: string) => text.replace(/%[\dA-F]{2}/g, (part) => part.toLowerCase());
const form = (text: string) => new URLSearchParams({ q: text }).toString().slice(2);
const toUrl = (base64: string) => base64.replaceAll("+", "-").replaceAll("/", "_");
const unpadded = (base64: string) => base64.replaceAll("=", "");
const html = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

/** What real encoders write; the law of masking is tried with every one of them. */
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
];
