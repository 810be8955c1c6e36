import { parseJson, toJsonText } from "@hub/connector";
import type { KeyRing } from "../keys/key-ring.ts";
import { mapJson } from "../masks/map-json.ts";
import { findValue, type TokenOwner } from "../value-tokens/value-tokens.ts";
import { isBeginning, isSame, toComparable } from "./compare-json.ts";
import type { Secret } from "./secret-cases.ts";
import { createSecretForms, listHalves, partCharsMin } from "./secret-forms.ts";
import { createTokenReader } from "./token-reader.ts";
import { isExplained, listDecodings } from "./undo-encodings.ts";

/** The expected owner of tokens; `rowId` is the called row. */
type CheckDeps = { ring: KeyRing } & TokenOwner;

/** Checks everything that leaves the hub. Each check throws an error with its finding. */
export type LeakCheck = {
  /**
   * No string, key or number contains a secret, and every token opens to a text that contains one.
   */
  checkJson(place: string, sealed: unknown): void;
  /** The same for JSON text, which must be valid. Returns the parsed value. */
  checkJsonText(place: string, text: string): unknown;
  /** In addition, opening the tokens restores the original value. */
  checkLossless(place: string, sealed: unknown, original: unknown): void;
  /** The same for a value that may be cut, if its size requires that. */
  checkKept(place: string, sealed: unknown, original: unknown): void;
  /** The same for a text that may be cut. */
  checkBeginning(place: string, sealed: string, original: string): void;
};

/** The mask does not search for shorter secrets in nested base64. */
const nestedCharsMin = 8;
/**
 * A value that is cut to 16 KiB of JSON may have half as many bytes, because small numbers count
 * more.
 */
const keptBytesMin = 8 * 1024;
const nestedBase64 = /[\w+/-]{11}/;

/**
 * Checks by brute force, independently of the mask, that no secret is visible. `others` may also
 * have become tokens.
 */
export function createLeakCheck(
  deps: CheckDeps,
  secrets: readonly Secret[],
  others: readonly Secret[] = [],
): LeakCheck {
  const tokens = createTokenReader(deps);
  const forms = createSecretForms(secrets, others);
  const texts = toWholeTexts([...secrets, ...others]);
  const usersTexts = toWholeTexts([...secrets, ...others].filter(({ ofRow }) => ofRow !== true));
  const byteLists = secrets
    .filter(({ text, anyCase }) => !anyCase && text.length >= partCharsMin)
    .flatMap((secret) => [secret.text, ...listHalves(secret, others)])
    .map((text) => [...Buffer.from(text, "utf8")].join(","));
  const exact = secrets.filter(({ anyCase }) => !anyCase);
  const halves = exact.flatMap((secret) => listHalves(secret, others));
  const encoded = {
    whole: exact.flatMap(({ text }) => toBytes(text)),
    halves: halves.flatMap(toBytes),
  };
  const explained = new Set<string>();

  function checkPart(place: string, part: string, isCut: boolean): void {
    if (part.length < partCharsMin) return;
    const form = forms.find(part, { isCut });
    if (form !== null) fail(place, `${form.name} is left`, part);
    for (const bytes of listDecodings(part)) {
      const isIn = (one: Buffer) => bytes.length >= one.length && bytes.includes(one);
      if (encoded.whole.some(isIn)) fail(place, "base64 is left", part);
      if (isCut && encoded.halves.some(isIn)) fail(place, "base64 of a part is left", part);
      if (!nestedBase64.test(bytes.toString("latin1"))) continue;
      for (const inner of listDecodings(bytes.toString("latin1"))) {
        for (const { text } of exact) {
          if (text.trim().length < nestedCharsMin) continue;
          if (inner.includes(text)) fail(place, "base64 in base64 is left", part);
        }
      }
    }
  }

  /** Checks arrays of numbers in JSON text. */
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

  function checkText(place: string, text: string, isCut: boolean): string {
    for (const { kind, text: part } of tokens.split(text)) {
      if (kind === "text") checkPart(place, part, isCut);
      else checkExplained(place, part);
    }
    return text;
  }

  /** A token of a text without a secret would mislead the model. */
  function checkExplained(place: string, token: string): void {
    if (explained.has(token)) return;
    const plaintext = tokens.find(token) ?? "";
    if (!isExplained(plaintext, texts)) fail(place, "a token of what is no secret", plaintext);
    // The user's own tokens open everywhere, so they must not contain a secret of a row.
    const isUsers = findValue(deps.ring, { ...deps, rowId: null }, token) !== null;
    if (isUsers && !isExplained(plaintext, usersTexts)) {
      fail(place, "a secret of the row in a token that opens elsewhere", plaintext);
    }
    explained.add(token);
  }

  function checkValue(place: string, sealed: unknown, { isCut }: { isCut: boolean }): void {
    mapJson(sealed, {
      mapText(text) {
        // The remainder of a cut text may be anything.
        if (!isCut) checkWhole(place, text);
        return checkText(place, text, isCut);
      },
      mapKey(key) {
        for (const { kind, text } of tokens.split(key)) {
          if (kind === "text") checkPart(place, text, isCut);
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
      const [actual, expected] = [tokens.openJson(sealed), tokens.openJson(original)].map(
        toComparable,
      );
      if (!isSame(actual, expected)) failToOpen(place, actual, expected);
    },
    checkKept(place, sealed, original) {
      const [actual, expected] = [tokens.openJson(sealed), tokens.openJson(original)].map(
        toComparable,
      );
      if (isSame(actual, expected)) return;
      const isLong = toJsonText(original).length > keptBytesMin;
      if (!isLong || !isBeginning(actual, expected)) failToOpen(place, actual, expected);
      checkByteLists(place, toJsonText(sealed));
      checkValue(place, sealed, { isCut: true });
    },
    checkBeginning(place, sealed, original) {
      const [opened, wanted] = [tokens.openText(sealed), tokens.openText(original)];
      if (!wanted.startsWith(opened)) fail(place, "it is not as it was", opened);
      checkValue(place, sealed, { isCut: opened !== wanted });
    },
  };
}

/** The bytes that base64 may encode. */
function toBytes(text: string): Buffer[] {
  if (text.length < partCharsMin) return [];
  const json = JSON.stringify(text).slice(1, -1);
  return [Buffer.from(text), Buffer.from(json), Buffer.from(text, "utf16le")];
}

function failToOpen(place: string, actual: unknown, expected: unknown): never {
  fail(place, "its tokens do not open to it", `${toJsonText(actual)}\n${toJsonText(expected)}`);
}

function toWholeTexts(secrets: readonly Secret[]): string[] {
  return secrets.flatMap(({ text }) => [text, text.trim()]).filter((text) => text !== "");
}

/** Removes the note about the cut, which has the hub's own numbers and words. */
function withoutCutNote(value: unknown): unknown {
  if (typeof value !== "object" || value === null || !("_truncated" in value)) return value;
  const { _truncated, ...rest } = value;
  return rest;
}

function isWhole({ text, anyCase }: Secret, value: string): boolean {
  return anyCase ? text.toLowerCase() === value.toLowerCase() : text === value;
}

function fail(place: string, fault: string, shown: string): never {
  throw new Error(`${place}: ${fault}: ${JSON.stringify(shown)}`);
}
