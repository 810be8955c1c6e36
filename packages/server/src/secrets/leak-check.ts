import { parseJson, toJsonText } from "@hub/connector";
import type { KeyRing } from "./key-ring.ts";
import { mapJson } from "./map-json.ts";
import type { Secret } from "./secret-cases.ts";
import { echoes } from "./secret-echoes.ts";
import { findTokenSpans } from "./token-format.ts";
import { findValue, type TokenOwner } from "./value-tokens.ts";

/** Whose tokens are expected; `rowId` is the called row. */
type CheckDeps = { ring: KeyRing } & TokenOwner;

/** What must hold for everything that leaves the hub. Every check throws with what it found. */
export type LeakCheck = {
  /** No string, key or number shows a secret, and every token stands for what holds one. */
  checkJson(place: string, sealed: unknown): void;
  /** The same of JSON text, which has to be valid. Returns what it says. */
  checkJsonText(place: string, text: string): unknown;
  /** Besides, its tokens open to exactly what stood there, and all else is as it was. */
  checkLossless(place: string, sealed: unknown, original: unknown): void;
  /** All of that of a text whose end may have been cut off. */
  checkBeginning(place: string, sealed: string, original: string): void;
};

/** Shorter secrets are promised as whole values only. */
const partCharsMin = 4;
const halfChars = 20;
/** Shorter ones are not promised in base64 within base64. */
const nestedCharsMin = 8;
const nestedBase64 = /[\w+/-]{11}/;

/**
 * Checks by brute force, and not as the mask does it, that nothing shows any of these secrets.
 * `others` may have become tokens and need not.
 */
export function createLeakCheck(
  deps: CheckDeps,
  secrets: readonly Secret[],
  others: readonly Secret[] = [],
): LeakCheck {
  const forms = [
    ...secrets.flatMap(listForms),
    ...secrets.flatMap((one) => listHalves(one, others)),
  ];
  const texts = toWholeTexts([...secrets, ...others]);
  const usersTexts = toWholeTexts([...secrets, ...others].filter(({ ofRow }) => ofRow !== true));
  const byteLists = secrets
    .filter(({ text, anyCase }) => !anyCase && text.length >= partCharsMin)
    .map(({ text }) => [...Buffer.from(text, "utf8")].join(","));
  const explained = new Set<string>();

  function checkPart(place: string, part: string): void {
    if (part.length < partCharsMin) return;
    const lower = part.toLowerCase();
    for (const { name, text, anyCase } of forms) {
      if ((anyCase ? lower : part).includes(text)) fail(place, `${name} is left`, part);
    }
    for (const bytes of listDecodings(part)) {
      for (const { text, anyCase } of secrets) {
        if (anyCase || text.length < partCharsMin) continue;
        const readings = [text, JSON.stringify(text).slice(1, -1), Buffer.from(text, "utf16le")];
        if (readings.some((reading) => bytes.includes(reading)))
          fail(place, "base64 is left", part);
      }
      if (!nestedBase64.test(bytes.toString("latin1"))) continue;
      for (const inner of listDecodings(bytes.toString("latin1"))) {
        for (const { text, anyCase } of secrets) {
          if (anyCase || text.trim().length < nestedCharsMin) continue;
          if (inner.includes(text)) fail(place, "base64 in base64 is left", part);
        }
      }
    }
  }

  /** Of arrays of numbers in JSON text. */
  function checkByteLists(place: string, text: string): void {
    for (const list of byteLists) {
      for (let at = text.indexOf(list); at !== -1; at = text.indexOf(list, at + 1)) {
        const around = text.charAt(at - 1) + text.charAt(at + list.length);
        if (!/\d/.test(around)) fail(place, "a list of bytes is left", text);
      }
    }
  }

  function checkWhole(place: string, text: string): void {
    if (secrets.some((secret) => isWhole(secret, text))) fail(place, "a whole value is left", text);
  }

  function checkText(place: string, text: string): string {
    for (const { kind, text: part } of cutTokens(deps, text)) {
      if (kind === "text") checkPart(place, part);
      else checkExplained(place, part);
    }
    return text;
  }

  /** A token of something innocent would be a lie to the model, and useless to it. */
  function checkExplained(place: string, token: string): void {
    if (explained.has(token)) return;
    const plaintext = findValue(deps.ring, deps, token) ?? "";
    if (!isExplained(plaintext, texts)) fail(place, "a token of what is no secret", plaintext);
    // The user's own tokens open everywhere, so no secret of a row is in one.
    const isUsers = findValue(deps.ring, { ...deps, rowId: null }, token) !== null;
    if (isUsers && !isExplained(plaintext, usersTexts)) {
      fail(place, "a secret of the row in a token that opens elsewhere", plaintext);
    }
    explained.add(token);
  }

  function checkValue(place: string, sealed: unknown, { isCut }: { isCut: boolean }): void {
    mapJson(sealed, {
      mapText(text) {
        // What is left of a text that was cut may be anything.
        if (!isCut) checkWhole(place, text);
        return checkText(place, text);
      },
      mapKey(key) {
        for (const { kind, text } of cutTokens(deps, key)) {
          if (kind === "text") checkPart(place, text);
        }
        return key;
      },
      mapNumber(value, digits) {
        checkWhole(place, digits);
        return value;
      },
    });
  }

  return {
    checkJson: (place, sealed) => checkValue(place, sealed, { isCut: false }),
    checkJsonText(place, text) {
      checkByteLists(place, text);
      const value = parseJson(text);
      const whole = withoutCutNote(value);
      checkValue(place, whole, { isCut: whole !== value });
      return value;
    },
    checkLossless(place, sealed, original) {
      const [actual, expected] = [sealed, original].map((value) =>
        toComparable(openAll(deps, value)),
      );
      if (actual !== expected)
        fail(place, "its tokens do not open to it", `${actual}\n${expected}`);
    },
    checkBeginning(place, sealed, original) {
      const [opened, wanted] = [openText(deps, sealed), openText(deps, original)];
      if (!wanted.startsWith(opened)) fail(place, "it is not as it was", opened);
      checkValue(place, sealed, { isCut: opened !== wanted });
    },
  };
}

function toWholeTexts(secrets: readonly Secret[]): string[] {
  return secrets.flatMap(({ text }) => [text, text.trim()]).filter((text) => text !== "");
}

/** What was cut off is told in numbers and words of the hub's own. */
function withoutCutNote(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("_truncated" in value)) return value;
  const { _truncated, ...rest } = value;
  return rest;
}

/** Where tokens that open stand in a text, and what is around them. */
function cutTokens(deps: CheckDeps, text: string): Array<{ kind: "text" | "token"; text: string }> {
  const parts: Array<{ kind: "text" | "token"; text: string }> = [];
  let copied = 0;
  for (const { start, end } of findTokenSpans(text)) {
    if (start < copied || findValue(deps.ring, deps, text.slice(start, end)) === null) continue;
    parts.push({ kind: "text", text: text.slice(copied, start) });
    parts.push({ kind: "token", text: text.slice(start, end) });
    copied = end;
  }
  return [...parts, { kind: "text", text: text.slice(copied) }];
}

type Form = { name: string; text: string; anyCase: boolean };

function listForms({ text, anyCase }: Secret): Form[] {
  if (text.length < partCharsMin) return [];
  const charsBetweenSpaces = text.trim().length;
  return echoes
    .filter(({ isWhole, charsMin, suits }) => {
      if (isWhole || charsBetweenSpaces < charsMin || suits?.(text) === false) return false;
      return charsMin === 0 || !anyCase;
    })
    .map(({ name, write }) => toForm(name, write(text, "", ""), anyCase));
}

/** Whatever is cut has to be sealed before: half a secret is not found any more. */
function listHalves({ text, anyCase }: Secret, others: readonly Secret[]): Form[] {
  if (text.length <= 2 * halfChars) return [];
  return [text.slice(0, halfChars), text.slice(-halfChars)]
    .filter((half) => !others.some((other) => other.text.includes(half)))
    .map((half) => toForm("part of a secret", half, anyCase));
}

function toForm(name: string, text: string, anyCase: boolean): Form {
  return { name, text: anyCase ? text.toLowerCase() : text, anyCase };
}

function isWhole({ text, anyCase }: Secret, value: string): boolean {
  return anyCase ? text.toLowerCase() === value.toLowerCase() : text === value;
}

/** What each run of base64 characters decodes to, wherever its groups of four begin. */
function* listDecodings(part: string): Iterable<Buffer> {
  for (const [run] of part.replace(/[\r\n]/g, "").matchAll(/[\w+/-]{5,}/g)) {
    for (const missing of ["", "A", "AA", "AAA"]) yield Buffer.from(missing + run, "base64url");
  }
}

/** Whether some decoding of a plaintext holds some decoding of a secret. */
function isExplained(plaintext: string, secrets: readonly string[]): boolean {
  if (secrets.some((secret) => Number(secret) === Number(plaintext))) return true;
  const forms = new Set(secrets.map(fold));
  const holds = (text: string) => {
    const folded = fold(text);
    return [...forms].some((form) => form !== "" && folded.includes(form));
  };
  if (findReading(plaintext, holds)) return true;
  // What a secret itself holds of escapes may have been undone on the way.
  for (const secret of secrets) {
    findReading(secret, (reading) => {
      forms.add(fold(reading));
      return false;
    });
  }
  return findReading(plaintext, holds);
}

function fold(text: string): string {
  return text.toLowerCase().toUpperCase();
}

/** Whether a text, or what it reads as when up to three layers of encodings are undone, fits. */
function findReading(text: string, fits: (reading: string) => boolean): boolean {
  const seen = new Set([text]);
  let layer = [text];
  for (let depth = 0; depth <= 3; depth += 1) {
    if (layer.some(fits)) return true;
    const deeper: string[] = [];
    for (const undo of undoers) {
      for (const one of layer.flatMap(undo)) {
        if (one === "" || seen.has(one) || seen.size > readingsMax) continue;
        seen.add(one);
        deeper.push(one);
      }
    }
    layer = deeper;
  }
  return false;
}

const readingsMax = 3000;

const undoers: ReadonlyArray<(text: string) => string | string[]> = [
  (text) =>
    text.replace(
      /\\(u\{[\dA-Fa-f]+\}|u[\dA-Fa-f]{4}|x[\dA-Fa-f]{2}|[0-3][0-7]{2}|.)/gs,
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
  (text) => text.replace(/[\r\n]\s*|[\u00ad\u200b-\u200f\u2060\ufeff]/g, ""),
  (text) => text.replaceAll("\0", ""),
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
  (text) =>
    [...listDecodings(text)].flatMap((bytes) => [bytes.toString("utf8"), ...listWide(bytes)]),
  (text) => (/^[\0-\xff]*$/.test(text) ? listWide(Buffer.from(text, "latin1")) : []),
];

/** What bytes say as UTF-16 of either order, wherever the first character begins. */
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

/** The bytes that Windows-1252 reads as these characters. */
function toWindowsBytes(text: string): number[] {
  const all = new TextDecoder("windows-1252").decode(Uint8Array.from({ length: 256 }, (_, i) => i));
  return [...text].map((character) => Math.max(all.indexOf(character), 0));
}

function undoBackslash(_match: string, code: string): string {
  if (/^[0-3][0-7]{2}$/.test(code)) return String.fromCharCode(Number.parseInt(code, 8));
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

function openAll(deps: CheckDeps, value: unknown): unknown {
  const open = (text: string) => openText(deps, text);
  return mapJson(value, { mapText: open, mapKey: open });
}

function openText(deps: CheckDeps, text: string): string {
  return cutTokens(deps, text)
    .map(({ kind, text: part }) => (kind === "token" ? findValue(deps.ring, deps, part) : part))
    .join("");
}

/**
 * A number that was a secret comes back as the text of its digits, so numbers count as such; numbers
 * of an array as one text with commas.
 */
function toComparable(value: unknown): string {
  return toJsonText(
    mapJson(joinNumbers(value), {
      mapText: (text) => text,
      mapNumber: (_number, digits) => digits,
    }),
  );
}

function joinNumbers(value: unknown): unknown {
  if (Array.isArray(value)) {
    const isList = value.length > 0 && value.every((item) => isByteText(item));
    return isList ? value.join(",") : value.map(joinNumbers);
  }
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, joinNumbers(member)]),
  );
}

function isByteText(item: unknown): boolean {
  if (typeof item === "number") return true;
  return typeof item === "string" && (item === "end" || /^\d{1,3}(?:,\d{1,3})*$/.test(item));
}

function fail(place: string, fault: string, shown: string): never {
  throw new Error(`${place}: ${fault}: ${JSON.stringify(shown)}`);
}
