import { type Base64Needle, toBase64Needles } from "./base64-needles.ts";
import { foldCase } from "./fold-case.ts";
import { decodeLayers } from "./text-views.ts";

/** Shorter secrets are masked as whole values only: as parts they would be everywhere. */
export const partCharsMin = 4;

/** What to look for in a text: the parts of it that a set of secrets could show as. */
export type Needles = {
  /** Looked for as they are. */
  exact: string[];
  /** Looked for in the case-folded text. */
  folded: string[];
  base64: Base64Needle[];
  /** Secrets of several lines, looked for where the lines of a text are joined. */
  joined: string[];
  /** A secret has a space, which form encoding writes as a plus. */
  hasSpace: boolean;
  /** No shorter text can hold any of them. */
  charsMin: number;
};

/** The needles of secrets; those too short to be looked for give none. */
export function toNeedles(exact: Iterable<string>, ignoreCase: Iterable<string>): Needles {
  const needles: Needles = {
    exact: [],
    folded: [],
    base64: [],
    joined: [],
    hasSpace: false,
    charsMin: Number.POSITIVE_INFINITY,
  };
  for (const secret of exact) addExact(needles, secret);
  for (const secret of ignoreCase) addIgnoreCase(needles, secret);
  const texts = [...needles.exact, ...needles.folded];
  needles.hasSpace = texts.some((text) => text.includes(" "));
  const lengths = [
    ...texts.map((text) => text.length),
    ...needles.joined.map((text) => text.length),
    ...needles.base64.map(({ core }) => core.length),
  ];
  needles.charsMin = Math.min(...lengths);
  return needles;
}

function addExact(needles: Needles, secret: string): void {
  for (const text of toForms(secret)) needles.exact.push(text);
  if (secret.length < partCharsMin) return;
  const joined = secret.replace(/[\r\n]+[ \t]*/g, "");
  if (joined !== secret && joined.length >= partCharsMin) needles.joined.push(joined);
  for (const text of toEncodedTexts(secret)) needles.base64.push(...toBase64Needles(text));
}

function addIgnoreCase(needles: Needles, secret: string): void {
  for (const text of toForms(secret)) needles.folded.push(foldCase(text));
  if (secret.length < partCharsMin) return;
  // Base64 of every mixture of cases cannot be listed; these are the ones that programs make.
  const cases = new Set([secret, secret.toLowerCase(), secret.toUpperCase()]);
  for (const text of cases) needles.base64.push(...toBase64Needles(text));
}

/** The secret as given, trimmed, and as anything makes of it that undoes escapes it never had. */
function toForms(secret: string): Set<string> {
  const forms = new Set<string>();
  for (const text of [secret, secret.trim(), secret.toWellFormed()]) {
    for (const form of decodeLayers(text)) if (form.length >= partCharsMin) forms.add(form);
  }
  return forms;
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
    texts.add(JSON.stringify(text).slice(1, -1));
    texts.add(encodeURIComponent(text.toWellFormed()));
  }
  return texts;
}
