import { type Base64Needle, toBase64Needles } from "./base64-needles.ts";
import { foldCase } from "./fold-case.ts";
import { decodeLayers } from "./text-views.ts";

/** Shorter secrets are masked as whole values only: as parts they would be everywhere. */
export const partCharsMin = 4;

/** Hex of fewer characters than two for each of these stands in many an id and hash by chance. */
const hexCharsMin = 8;

/** A secret of a call, as a mask knows it: plain data, so that it can be sent to a worker. */
export type MaskedSecret = {
  text: string;
  /** It is found in any mixture of upper and lower case. */
  ignoreCase: boolean;
  /** It is a secret of the called row, not a value of the user's own. */
  ofRow: boolean;
};

/**
 * A text to look for in what a text decodes to. Only a stretch of the original with at least so many
 * characters can be the secret: no encoding is shorter than it.
 */
export type TextNeedle = { text: string; sourceCharsMin: number; ofRow: boolean };

/** What to look for in a text: the parts of it that a set of secrets could show as. */
export type Needles = {
  /** Looked for as they are. */
  exact: TextNeedle[];
  /** Looked for in the case-folded text. */
  folded: TextNeedle[];
  base64: Base64Needle[];
  /** Secrets of several lines, looked for where the lines of a text are joined. */
  joined: TextNeedle[];
  /** A secret has a space, which form encoding writes as a plus. */
  hasSpace: boolean;
  /** No shorter text can hold any of them. */
  charsMin: number;
};

/** The needles of secrets; those too short to be looked for give none. */
export function toNeedles(secrets: Iterable<MaskedSecret>): Needles {
  const needles: Needles = {
    exact: [],
    folded: [],
    base64: [],
    joined: [],
    hasSpace: false,
    charsMin: Number.POSITIVE_INFINITY,
  };
  for (const secret of secrets) {
    if (secret.ignoreCase) addIgnoreCase(needles, secret);
    else addExact(needles, secret);
  }
  const texts = [...needles.exact, ...needles.folded, ...needles.joined];
  needles.hasSpace = texts.some(({ text }) => text.includes(" "));
  for (const { sourceCharsMin } of texts) note(needles, sourceCharsMin);
  for (const { core } of needles.base64) note(needles, core.length);
  return needles;
}

function note(needles: Needles, chars: number): void {
  needles.charsMin = Math.min(needles.charsMin, chars);
}

function addExact(needles: Needles, { text: secret, ofRow }: MaskedSecret): void {
  needles.exact.push(...toForms(secret, ofRow), ...toHexForms(secret, ofRow));
  if (secret.length < partCharsMin) return;
  const lines = secret.trim();
  const joined = lines.replace(/[\r\n]+[ \t]*/g, "");
  if (joined !== lines && joined.length >= partCharsMin) {
    needles.joined.push({ text: joined, sourceCharsMin: joined.length, ofRow });
  }
  for (const text of toEncodedTexts(secret)) needles.base64.push(...toBase64Needles(text, ofRow));
}

function addIgnoreCase(needles: Needles, { text: secret, ofRow }: MaskedSecret): void {
  for (const form of toForms(secret, ofRow)) {
    needles.folded.push({ ...form, text: foldCase(form.text) });
  }
  if (secret.length < partCharsMin) return;
  // Base64 of every mixture of cases cannot be listed; these are the ones that programs make.
  const cases = new Set([secret, secret.toLowerCase(), secret.toUpperCase()]);
  for (const text of cases) {
    needles.base64.push(...toBase64Needles(text, ofRow));
    needles.exact.push(...toHexForms(text, ofRow));
  }
}

/** The secret as given, trimmed, and as it reads when what looks like escapes in it is undone. */
function toForms(secret: string, ofRow: boolean): TextNeedle[] {
  const forms = new Map<string, TextNeedle>();
  for (const text of [secret, secret.toWellFormed(), secret.trim()]) {
    if (text.length < partCharsMin) continue;
    for (const form of decodeLayers(text)) {
      if (!forms.has(form)) forms.set(form, { text: form, sourceCharsMin: text.length, ofRow });
    }
  }
  return [...forms.values()];
}

/** The secret's bytes in hex, as a dump or a database writes them. */
function toHexForms(secret: string, ofRow: boolean): TextNeedle[] {
  const trimmed = secret.trim();
  if (trimmed.length < hexCharsMin) return [];
  const hex = Buffer.from(trimmed, "utf8").toString("hex");
  const forms = new Set([hex, hex.toUpperCase()]);
  return [...forms].map((text) => ({ text, sourceCharsMin: text.length, ofRow }));
}

/** What of a secret may stand within base64: itself, or itself within JSON or a URL. */
function toEncodedTexts(secret: string): Set<string> {
  const texts = new Set([secret]);
  const trimmed = secret.trim();
  if (trimmed.length >= partCharsMin) texts.add(trimmed);
  if (secret.includes("\n")) {
    const unix = secret.replaceAll("\r\n", "\n");
    texts.add(unix).add(unix.replaceAll("\n", "\r\n"));
  }
  for (const text of [...texts]) {
    for (const json of toJsonTexts(text)) texts.add(json);
    const percent = encodeURIComponent(text.toWellFormed());
    texts.add(percent).add(percent.replaceAll("%20", "+"));
  }
  return texts;
}

/** A text as JavaScript, Python, PHP and Go write it into JSON. */
function toJsonTexts(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const ascii = json.replace(/[^\0-\x7f]/g, toUnicodeEscape);
  const html = json.replace(/[<>&\u2028\u2029]/g, toUnicodeEscape);
  return [json, ascii, ascii.replaceAll("/", "\\/"), html];
}

function toUnicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
