import type { FieldSpec } from "@hub/connector";
import {
  blankLetters,
  hiddenVariations,
  invisible,
  stackedMarks,
} from "@hub/contract/invisible-characters.ts";
import { mapJson } from "../../secrets/masks/map-json.ts";
import type { Mask } from "../../secrets/masks/mask.ts";
import { splitTokens } from "../../secrets/value-tokens/token-format.ts";

const bullets = "••••••";
const hiddenValue = "[hidden value]";
/** Characters that are not seen, or that change the order in which others are read. */
const unseen = /[\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]|(?![\t\n])\p{Cc}/gu;

/**
 * The params as an approver sees them: secrets as bullets, value tokens as hidden values, and unseen characters by their
 * number. An approver may be another user, and a token is worth its value to its owner only.
 */
export function showParams(
  mask: Pick<Mask, "sealJson">,
  fields: readonly FieldSpec[],
  params: Record<string, unknown>,
): unknown {
  const secret = new Set(fields.filter((field) => field.secret).map(({ key }) => key));
  const shown = Object.entries(params).map(([key, value]) => [
    key,
    secret.has(key) ? bullets : value,
  ]);
  // The mask turns secrets of the row, which a caller may quote, into tokens.
  // Safe: the params are JSON.
  const sealed = mask.sealJson(Object.fromEntries(shown) as Parameters<typeof mask.sealJson>[0]);
  return mapJson(sealed, { mapText: showText, mapKey: showText });
}

/** A text with its value tokens hidden and its unseen characters by number. */
export function showText(text: string): string {
  const parts = splitTokens(text, null).map((part) =>
    part.kind === "text" ? part.text : hiddenValue,
  );
  const hidden = [unseen, blankLetters, invisible, hiddenVariations, stackedMarks];
  return hidden.reduce(nameMatches, parts.join(""));
}

function nameMatches(text: string, pattern: RegExp): string {
  return text.replace(pattern, nameCharacters);
}

function nameCharacters(text: string): string {
  return Array.from(text, (char) => {
    const code = (char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    return `[U+${code}]`;
  }).join("");
}
