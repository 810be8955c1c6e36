import { toWholeText, type WholeText } from "../masks/text-fingerprints.ts";
import { hasRemovable } from "../views/join-lines.ts";
import { decodeBeginning } from "../views/text-views.ts";
import type { Base64Needle } from "./base64-needles.ts";
import { partCharsMin } from "./needle-forms.ts";
import type { SecretForm, SecretKind } from "./secret-kinds.ts";

/**
 * The forms of longer secrets are not kept, because together they take some sixty times the memory of the
 * secret. The beginning of each form is searched for, and what follows is compared by its fingerprint.
 */
export const longCharsMin = 256;

/** The rest of the forms of a long secret that have the same beginning. */
export type LongForms = {
  /** Writes out the forms at the first use. Null if that would take too many steps. */
  list(): readonly LongForm[] | null;
};

export type LongForm = WholeText & {
  sourceCharsMin: number;
  /** The neighbouring characters in base64. */
  base64: Pick<Base64Needle, "before" | "after"> | null;
};

/** The steps that are left to write out forms, for all secrets that are searched for together. */
export type FormSteps = { left: number };

/** The beginnings of forms have at most this many characters. */
const beginningChars = 64;
/** A shorter beginning would make the search for all secrets slower. */
const beginningCharsMin = 24;
/** The number of characters that are encoded first to find the beginnings. */
const encodedCharsFirst = 80;
/** So many characters before a cut can mean something else with what follows them. */
const uncertainChars = { plain: 16, escaped: 128 };

/** What all kinds of forms of a long secret use. */
export type LongSecret = {
  text: string;
  /** The secret, and without the blanks around it if it has some. */
  wholes: readonly string[];
  trimmedChars: number;
  hasEscapes: boolean;
  /**
   * Whether joining lines can alter it, also after apparent escapes in it are decoded, or after its UTF-8 is
   * read as Latin-1, which makes soft hyphens of some bytes.
   */
  hasBreaks: boolean;
};

export function toLongSecret(text: string): LongSecret {
  const trimmed = text.trim();
  const hasEscapes = /[\\%&]/.test(text);
  return {
    text,
    // Little or nothing between blanks is no secret of its own.
    wholes:
      trimmed.length === text.length || trimmed.length < partCharsMin ? [text] : [text, trimmed],
    trimmedChars: trimmed.length,
    hasEscapes,
    hasBreaks: hasEscapes || hasRemovable(text) || /[^\0-\x7f]/.test(text),
  };
}

/** Lists the beginnings of the forms of a long secret. */
export function listBeginnings(kind: SecretKind, { wholes, hasEscapes }: LongSecret): Set<string> {
  const beginnings = new Set<string>();
  const uncertain = hasEscapes ? uncertainChars.escaped : uncertainChars.plain;
  for (const whole of wholes) {
    for (let chars = encodedCharsFirst; ; chars *= 4) {
      const part = cutAtCharacter(whole, chars);
      const isWhole = part.length === whole.length;
      const forms = Array.from(kind.list(part, decodeBeginning), ({ text }) =>
        text.slice(0, Math.min(isWhole ? text.length : text.length - uncertain, beginningChars)),
      );
      const isEnough = forms.every(({ length }) => length >= beginningCharsMin);
      if (!isWhole && (!isEnough || forms.length === 0)) continue;
      for (const form of forms) if (form !== "") beginnings.add(form);
      break;
    }
  }
  return beginnings;
}

/** The forms of a secret that begin with this text. */
export function createLongForms(
  kind: SecretKind,
  { secret, beginning }: { secret: string; beginning: string },
  steps: FormSteps,
): LongForms {
  let known: readonly LongForm[] | null = null;
  return {
    list() {
      known ??= listLongForms(kind.list(secret), beginning, steps);
      return known;
    },
  };
}

function listLongForms(
  forms: Iterable<SecretForm>,
  beginning: string,
  steps: FormSteps,
): LongForm[] | null {
  const found: LongForm[] = [];
  for (const { text, sourceCharsMin, base64 } of forms) {
    steps.left -= text.length;
    if (text.startsWith(beginning)) {
      steps.left -= 2 * text.length;
      const neighbours = base64 === null ? null : { before: base64.before, after: base64.after };
      found.push({ ...toWholeText(text), sourceCharsMin, base64: neighbours });
    }
    if (steps.left < 0) return null;
  }
  return found;
}

function cutAtCharacter(text: string, chars: number): string {
  if (chars >= text.length) return text;
  const isPair = text.charCodeAt(chars - 1) >> 10 === 0x36 && text.charCodeAt(chars) >> 10 === 0x37;
  return text.slice(0, isPair ? chars - 1 : chars);
}
