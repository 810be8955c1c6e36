/** Encoders of other programs and languages, for the forms in which a secret may come back. */

export const json = (text: string) => JSON.stringify(text).slice(1, -1);
export const unicodeEscape = (character: string, upper: boolean) =>
  [...Array(character.length).keys()]
    .map((index) => {
      const hex = character.charCodeAt(index).toString(16).padStart(4, "0");
      return `\\u${upper ? hex.toUpperCase() : hex}`;
    })
    .join("");
export const toAscii = (text: string) =>
  text.replace(/[^\0-\x7f]/gu, (part) => unicodeEscape(part, false));
export const toGo = (text: string) =>
  text.replace(/[<>&\u2028\u2029]/g, (part) => unicodeEscape(part, false));

export const percentAll = (text: string) =>
  [...Buffer.from(text, "utf8")]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
export const hex = (text: string) => Buffer.from(text, "utf8").toString("hex");
export const lowerHex = (text: string) =>
  text.replace(/%[\dA-F]{2}/g, (part) => part.toLowerCase());
export const form = (text: string) => new URLSearchParams({ q: text }).toString().slice(2);
export const toUrl = (base64: string) => base64.replaceAll("+", "-").replaceAll("/", "_");
export const unpadded = (base64: string) => base64.replaceAll("=", "");
export const html = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");

export const bytesOf = (text: string) => [...Buffer.from(text, "utf8")];
export const hexPairs = (text: string, before: string, between: string) =>
  bytesOf(text)
    .map((byte) => before + byte.toString(16).padStart(2, "0"))
    .join(between);
export const octal = (byte: number) => `\\${byte.toString(8).padStart(3, "0")}`;
/** The quoting of git and C: bytes that are not printable become octal. */
export const inC = (text: string) =>
  bytesOf(text)
    .map((byte) => {
      const character = String.fromCharCode(byte);
      if (byte < 0x20 || byte > 0x7e) return octal(byte);
      return character === "\\" || character === '"' ? `\\${character}` : character;
    })
    .join("");
export const pythonBytes = (text: string) =>
  bytesOf(text)
    .map((byte) => {
      const character = String.fromCharCode(byte);
      if (byte < 0x20 || byte > 0x7e) return `\\x${byte.toString(16).padStart(2, "0")}`;
      return character === "\\" || character === "'" ? `\\${character}` : character;
    })
    .join("");
export const codePoints = (text: string, write: (code: number) => string) =>
  [...text].map((character) => write(character.codePointAt(0) ?? 0)).join("");
/** The result of `escape` in browsers. */
export const legacyEscape = (text: string) =>
  text.replace(/[^\w@*+./-]/g, (unit) => {
    const code = unit.charCodeAt(0);
    const hexDigits = code.toString(16).toUpperCase();
    return code < 256 ? `%${hexDigits.padStart(2, "0")}` : `%u${hexDigits.padStart(4, "0")}`;
  });
export const entityNames: Record<string, string> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  '"': "quot",
  "'": "apos",
  "+": "plus",
  "/": "sol",
  "\\": "bsol",
  "%": "percnt",
  "=": "equals",
  "?": "quest",
  ";": "semi",
  ":": "colon",
  _: "lowbar",
  ".": "period",
  "{": "lcub",
  "}": "rcub",
  é: "eacute",
  "€": "euro",
  "\n": "NewLine",
  "\t": "Tab",
};
export const quotedPrintable = (text: string) =>
  bytesOf(text)
    .map((byte) => {
      const isPlain = byte >= 0x20 && byte <= 0x7e && byte !== 0x3d;
      return isPlain
        ? String.fromCharCode(byte)
        : `=${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("")
    .replace(/(?:=..|[^=]){30}(?=.)/gs, "$&=\r\n");
export const utf16 = (text: string, order: "little" | "big") => {
  const bytes = Buffer.from(`\ufeff${text}`, "utf16le");
  return order === "little" ? bytes : bytes.swap16();
};
export const shortOctal = (unit: string) => `\\${unit.charCodeAt(0).toString(8)}`;
export const longOctal = (unit: string) => octal(unit.charCodeAt(0));
export const utf32 = (text: string, order: "little" | "big") => {
  const bytes = Buffer.alloc([...text].length * 4);
  let at = 0;
  for (const character of text) at = bytes.writeUInt32LE(character.codePointAt(0) ?? 0, at);
  return order === "little" ? bytes : bytes.swap32();
};
export const base32 = (text: string) => {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = bytesOf(text)
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("");
  const groups = bits.match(/.{1,5}/g) ?? [];
  return groups.map((group) => letters[Number.parseInt(group.padEnd(5, "0"), 2)]).join("");
};
export const insert = (text: string, between: string, every: number) =>
  (text.match(new RegExp(`.{1,${every}}`, "gsu")) ?? []).join(between);
/** Base64 in an address of data, encoded again. */
export function twice(text: string, finish: (base64: string) => string): string {
  const once = finish(Buffer.from(text, "utf8").toString("base64"));
  return Buffer.from(`data:${once};`).toString("base64");
}
