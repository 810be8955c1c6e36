import { gunzipSync } from "node:zlib";

/** Whether a decoded form of a plaintext contains a decoded form of a secret. */
export function isExplained(plaintext: string, secrets: readonly string[]): boolean {
  if (secrets.some((secret) => Number(secret) === Number(plaintext))) return true;
  const forms = new Set(secrets.flatMap(listWithoutEdges).map(fold));
  const holds = (text: string) => {
    const folded = fold(text);
    return [...forms].some((form) => form !== "" && folded.includes(form));
  };
  if (findReading(plaintext, holds)) return true;
  // Apparent escapes inside a secret may also have been decoded.
  for (const secret of secrets) {
    findReading(
      secret,
      (reading) => {
        forms.add(fold(reading));
        return false;
      },
      escapeUndoers,
    );
  }
  return findReading(plaintext, holds);
}

/**
 * The secret, and without its first or last character: base64 and base32 write some of their bits together with those of
 * what is beside them, and these digits stay.
 */
function listWithoutEdges(secret: string): string[] {
  const trimmed = [...secret.trim()];
  if (trimmed.length < 3 || Buffer.byteLength(secret.trim()) < edgedBytesMin) return [secret];
  const cut = [trimmed.slice(1), trimmed.slice(0, -1), trimmed.slice(1, -1)];
  return [secret, ...cut.map((characters) => characters.join(""))];
}

/** The mask does not search for shorter secrets in such encodings. */
const edgedBytesMin = 5;

function fold(text: string): string {
  return text.toLowerCase().toUpperCase();
}

/** Whether a text matches, as it is or after up to three layers of encodings are decoded. */
function findReading(text: string, fits: (reading: string) => boolean, layers = undoers): boolean {
  const seen = new Set([text]);
  let chars = 0;
  let layer = [text];
  for (let depth = 0; depth <= 3; depth += 1) {
    if (layer.some(fits)) return true;
    const deeper: string[] = [];
    const used = depth === 0 && layers === undoers ? [...layers, ...outermostUndoers] : layers;
    for (const before of layer) {
      if (seen.size > readingsMax || chars > charsMax) break;
      for (const one of used.flatMap((undo) => undo(before))) {
        if (one === "" || seen.has(one)) continue;
        if (seen.size > readingsMax || chars > charsMax) continue;
        chars += one.length;
        seen.add(one);
        deeper.push(one);
      }
    }
    layer = deeper;
  }
  return false;
}

const readingsMax = 3000;
const charsMax = 10_000_000;

type Undo = (text: string) => string | string[];

const escapeUndoers: readonly Undo[] = [
  (text) =>
    text.replace(
      /\\(u\{[\dA-Fa-f]+\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|[0-3]?[0-7]{1,2}|.)/gs,
      undoBackslash,
    ),
  (text) =>
    text
      .replace(/%u([\dA-Fa-f]{4})/g, (_, digits) => toCharacter(digits, 16))
      .replace(/(?:%[\dA-Fa-f]{2})+/g, (part) => undoPercent(part)),
  (text) => text.replace(/%([\dA-Fa-f]{2})/g, (_, digits) => toCharacter(digits, 16)),
  (text) =>
    text
      .replace(/&#[xX]([\dA-Fa-f]{1,6});/g, (_, digits) => toCharacter(digits, 16))
      .replace(/&#(\d{1,7});/g, (_, digits) => toCharacter(digits, 10))
      .replace(/&(\w+);/g, (whole, name) => entities[name] ?? whole),
  (text) => text.replaceAll("+", " "),
];

const undoers: readonly Undo[] = [
  ...escapeUndoers,
  (text) => text.replace(/[\r\n]\s*|[\u00ad\u200b-\u200f\u2060\ufeff]/g, ""),
  (text) => text.replaceAll("\0", ""),
  (text) => text.replace(/[\uff01-\uff5e]/g, (unit) => toUnit(unit.charCodeAt(0) - 0xfee0)),
  (text) => text.replace(/(.)(?:", "|','|","|', '|, )(?=.)/gsu, "$1"),
  (text) => text.replace(/([^ -]{4})[ -]/g, "$1"),
  (text) => text.replace(/(.{4})[ -]/gsu, "$1"),
  (text) =>
    text.replaceAll("\u001b[1;32m", "").replace(/" \+ "|\]\]><!\[CDATA\[|<b class="x">/g, ""),
  (text) =>
    text
      .replace(/=\r?\n/g, "")
      .replace(/(?:=[\dA-F]{2})+/g, (part) =>
        Buffer.from(part.replaceAll("=", ""), "hex").toString("utf8"),
      ),
  (text) => Buffer.from(text.replace(/0x|\\x|[^\dA-Fa-f]/g, ""), "hex").toString("utf8"),
  (text) => Buffer.from(text.replace(/[^\dA-Fa-f]/g, ""), "hex").toString("utf16le"),
  (text) =>
    /^\d+(?:[, ]+\d+)+$/.test(text)
      ? Buffer.from((text.match(/\d+/g) ?? []).map(Number)).toString("utf8")
      : text,
  (text) => (/^[\0-\xff]*$/.test(text) ? Buffer.from(text, "latin1").toString("utf8") : text),
  (text) => (/[^\0-\x7f]/.test(text) ? Buffer.from(toWindowsBytes(text)).toString("utf8") : text),
  (text) => joinDecodings(text, (bytes) => [bytes.toString("utf8"), ...listWide(bytes)]),
  (text) => (/^[\0-\xff]*$/.test(text) ? listWide(Buffer.from(text, "latin1")) : []),
];

/** Dear ones, which are never inside another encoding here. */
const outermostUndoers: readonly Undo[] = [
  (text) => (/^[\0-\xff]*$/.test(text) ? listUtf32(Buffer.from(text, "latin1")) : []),
  (text) => joinDecodings(text, listUtf32),
  (text) => listExpanded(Buffer.from(text, "latin1")),
  (text) => [...listDecodings(text)].flatMap(listExpanded),
  (text) =>
    /^[a-z2-7=]+$/i.test(text) ? [0, 1, 2, 3, 4].map((from) => undoBase32(text, from)) : [],
];

const toUnit = (code: number) => String.fromCharCode(code);

function listExpanded(bytes: Buffer): string[] {
  try {
    return [gunzipSync(bytes, { maxOutputLength: 100_000 }).toString("utf8")];
  } catch {
    return [];
  }
}

/** Decodes base32 whose first characters may belong to the text before it. */
function undoBase32(text: string, from: number): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...text.toUpperCase().replaceAll("=", "")]
    .map((letter) => letters.indexOf(letter).toString(2).padStart(5, "0"))
    .join("")
    .slice(from);
  const listed = [0, 1, 2, 3, 4, 5, 6, 7].map((skip) =>
    Buffer.from((bits.slice(skip).match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))),
  );
  return listed.map((bytes) => bytes.toString("utf8")).join("\n");
}

/** Decodes bytes as UTF-32 in both byte orders and at each alignment. */
function listUtf32(bytes: Buffer): string[] {
  return [0, 1, 2, 3].flatMap((skip) => {
    const found = ["", ""];
    for (const padded of [Buffer.concat([Buffer.alloc(skip), bytes, Buffer.alloc(3)])]) {
      for (let at = 0; at + 4 <= padded.length; at += 4) {
        for (const [order, code] of [padded.readUInt32LE(at), padded.readUInt32BE(at)].entries()) {
          found[order] += code <= 0x10ffff ? String.fromCodePoint(code) : "\ufffd";
        }
      }
    }
    return found;
  });
}

/** Decodes bytes as UTF-16 in both byte orders and alignments. */
function listWide(bytes: Buffer): string[] {
  return [bytes, bytes.subarray(1), Buffer.concat([Buffer.alloc(1), bytes])].flatMap((some) => {
    const even = Buffer.from(some.length % 2 === 0 ? some : Buffer.concat([some, Buffer.alloc(1)]));
    return [even.toString("utf16le"), even.swap16().toString("utf16le")];
  });
}

const entities: Record<string, string> = {
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  amp: "&",
  plus: "+",
  sol: "/",
  bsol: "\\",
  percnt: "%",
  equals: "=",
  quest: "?",
  semi: ";",
  colon: ":",
  lowbar: "_",
  period: ".",
  lcub: "{",
  rcub: "}",
  eacute: "é",
  euro: "€",
  NewLine: "\n",
  Tab: "\t",
};
const controls: Record<string, string> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\n": "",
};

/** Encodes characters as Windows-1252. */
function toWindowsBytes(text: string): number[] {
  const all = new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 256 }, (_, i) => i));
  return [...text].map((character) => Math.max(all.indexOf(character), 0));
}

function undoBackslash(_match: string, code: string): string {
  if (/^[0-3]?[0-7]{1,2}$/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
  if (code.startsWith("u{")) return toCharacter(code.slice(2, -1), 16);
  if (code.length > 1) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return controls[code] ?? code;
}

function undoPercent(part: string): string {
  return Buffer.from(part.replaceAll("%", ""), "hex").toString("utf8");
}

function toCharacter(digits: string, radix: number): string {
  const code = Number.parseInt(digits, radix);
  return code <= 0x10ffff ? String.fromCodePoint(code) : "";
}

/** Decodes each run of base64 characters, at each alignment of its groups of four. */
export function* listDecodings(part: string): Iterable<Buffer> {
  for (const run of listBase64Runs(part)) {
    for (const missing of alignments) yield Buffer.from(missing + run, "base64url");
  }
}

/**
 * The readings of a text whose runs of base64 characters are decoded: one for each alignment and each way to read bytes, so
 * that their number does not grow with that of the runs.
 */
function joinDecodings(text: string, read: (bytes: Buffer) => string[]): string[] {
  const runs = listBase64Runs(text);
  return alignments.flatMap((missing) => {
    const readings = runs.map((run) => read(Buffer.from(missing + run, "base64url")));
    return (readings[0] ?? []).map((_, way) => readings.map((ways) => ways[way]).join(" "));
  });
}

function listBase64Runs(text: string): string[] {
  return text.replace(/[\r\n]/g, "").match(/[\w+/-]{5,}/g) ?? [];
}

/** What may be missing before a run, since its first digits belong to what is before it. */
const alignments = ["", "A", "AA", "AAA"];
