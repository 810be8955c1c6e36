import type { KeywordCheck } from "./validation.ts";

/** Keywords of texts. Lengths are in characters, not in code units. */
export const textKeywords: { [keyword: string]: KeywordCheck } = {
  minLength: (_, { minLength }, value, path) =>
    typeof value === "string" && countCharacters(value) < Number(minLength)
      ? { path, message: `must have at least ${minLength} characters` }
      : null,
  maxLength: (_, { maxLength }, value, path) =>
    typeof value === "string" && countCharacters(value) > Number(maxLength)
      ? { path, message: `must have at most ${maxLength} characters` }
      : null,
  pattern: ({ matches }, { pattern }, value, path) =>
    typeof value === "string" && !matches(String(pattern), value)
      ? { path, message: `must match the pattern ${pattern}` }
      : null,
  format: (_, { format }, value, path) =>
    typeof value === "string" && formats[String(format)]?.(value) === false
      ? { path, message: `must be in the format ${format}` }
      : null,
};

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const date = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const time = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]\d{2}:?\d{2})$/i;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ipv4 = /^((25[0-5]|2[0-4]\d|1?\d?\d)(\.|$)){4}$/;

/** The common formats. Other systems define more, and read these in more ways, so the rest is theirs. */
const formats: { [format: string]: ((text: string) => boolean) | undefined } = {
  date: (text) => date.test(text) && !Number.isNaN(Date.parse(text)),
  "date-time": (text) =>
    date.test(text.slice(0, 10)) && /^[t ]$/i.test(text.charAt(10)) && time.test(text.slice(11)),
  email: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
  ipv4: (text) => ipv4.test(text),
  uri: (text) => URL.canParse(text),
  uuid: (text) => uuid.test(text),
};
