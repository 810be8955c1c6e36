import type { Secret } from "./secret-cases.ts";
import { echoes } from "./secret-echoes.ts";

/** Shorter secrets are masked as whole values only. */
export const partCharsMin = 4;
/** Of a secret with more than twice this length, neither half may remain. */
const halfChars = 20;

/** A text that must not occur, such as a secret in an encoding. */
export type SecretForm = { name: string; text: string; anyCase: boolean };

/** Finds forms of secrets in texts. Forms that are longer than a text are not computed for it. */
export type SecretForms = {
  /** In a text that may be cut, also finds halves of secrets in all encodings. */
  find(text: string, options: { isCut: boolean }): SecretForm | null;
};

type Source = { charsMin: number; onlyCut: boolean; anyCase: boolean; list(): SecretForm[] };

/** `others` may occur, and so may halves that are part of them. */
export function createSecretForms(
  secrets: readonly Secret[],
  others: readonly Secret[],
): SecretForms {
  const sources = secrets.flatMap((secret) => [
    toSource(secret, secret.text, { onlyCut: false, list: () => listForms(secret) }),
    ...listHalves(secret, others).flatMap((half) => [
      toSource(secret, half, {
        onlyCut: false,
        list: () => [toForm("part of a secret", half, secret.anyCase)],
      }),
      toSource(secret, half, {
        onlyCut: true,
        list: () =>
          listForms({ ...secret, text: half }).map((form) => ({
            ...form,
            name: `part of a secret (${form.name})`,
          })),
      }),
    ]),
  ]);
  return {
    find(text, { isCut }) {
      const lower = text.toLowerCase();
      for (const { charsMin, onlyCut, anyCase, list } of sources) {
        const searched = anyCase ? lower : text;
        if (searched.length < charsMin || (onlyCut && !isCut)) continue;
        const form = list().find((one) => searched.includes(one.text));
        if (form !== undefined) return form;
      }
      return null;
    },
  };
}

/** A text must be sealed before it is cut, because half a secret is not found later. */
export function listHalves({ text }: Secret, others: readonly Secret[]): string[] {
  if (text.length <= 2 * halfChars) return [];
  return [text.slice(0, halfChars), text.slice(-halfChars)]
    .map((half) => half.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, ""))
    .filter((half) => !others.some((other) => other.text.includes(half)));
}

/** No encoding is shorter than its original. */
function toSource(
  { anyCase }: Secret,
  { length }: string,
  { onlyCut, list }: Pick<Source, "onlyCut" | "list">,
): Source {
  let forms: SecretForm[] | null = null;
  return {
    charsMin: length,
    onlyCut,
    anyCase,
    list() {
      forms ??= list();
      return forms;
    },
  };
}

function listForms({ text, anyCase }: Secret): SecretForm[] {
  if (text.length < partCharsMin) return [];
  const charsBetweenSpaces = text.trim().length;
  return echoes
    .filter(({ isWhole, charsMin, suits }) => {
      if (isWhole || charsBetweenSpaces < charsMin || suits?.(text) === false) return false;
      return charsMin === 0 || !anyCase;
    })
    .map(({ name, write }) => toForm(name, write(text, "", ""), anyCase));
}

function toForm(name: string, text: string, anyCase: boolean): SecretForm {
  return { name, text: anyCase ? text.toLowerCase() : text, anyCase };
}
