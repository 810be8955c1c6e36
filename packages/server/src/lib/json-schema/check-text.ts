import { assertsFormats } from "./dialect.ts";
import type { KeywordCheck, Validation } from "./validation.ts";

/** Keywords of texts. Lengths are in characters, not in code units. */
export const textKeywords: { [keyword: string]: KeywordCheck } = {
  minLength: (validation, { minLength }, value, path) =>
    typeof value === "string" && !hasCharacters(validation, value, Number(minLength))
      ? { path, message: `must have at least ${minLength} characters` }
      : null,
  maxLength: (validation, { maxLength }, value, path) =>
    typeof value === "string" && hasCharacters(validation, value, Number(maxLength) + 1)
      ? { path, message: `must have at most ${maxLength} characters` }
      : null,
  pattern: ({ matches }, { pattern }, value, path) =>
    typeof value === "string" && !matches(String(pattern), value)
      ? { path, message: `must match the pattern ${pattern}` }
      : null,
  format({ root, spendChars }, { format }, value, path) {
    if (typeof value !== "string" || !assertsFormats(root.$schema)) return null;
    spendChars(value.length);
    return formats[String(format)]?.(value) === false
      ? { path, message: `must be in the format ${format}` }
      : null;
  },
};

/** Whether a text has at least so many characters. Those of most texts need not be counted. */
function hasCharacters({ spendChars }: Validation, text: string, min: number): boolean {
  if (text.length < min) return false;
  // A character has one or two code units.
  if (text.length >= min * 2) return true;
  spendChars(text.length);
  return countCharacters(text) >= min;
}

function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const date = /^(\d{4})-(0[1-9]|1[0-2])-(\d{2})$/;
const time = /^([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d+)?(z|[+-]([01]\d|2[0-3]):?[0-5]\d)$/i;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;
/** The part before the `@` may be quoted. */
const email = /^(?:"(?:[^"\\]|\\.)*"|[^\s@]+)@[^\s@]+$/;
/** Of any scheme, also with the letters of other languages. */
const uri = /^[a-z][a-z\d+.-]*:[^\s"<>\\^`{|}]*$/i;

/** The common formats. Other systems define more, and read these in more ways, so the rest is theirs. */
const formats: { [format: string]: ((text: string) => boolean) | undefined } = {
  date: isDate,
  "date-time": (text) =>
    isDate(text.slice(0, 10)) && /^[t ]$/i.test(text.charAt(10)) && time.test(text.slice(11)),
  email: (text) => email.test(text),
  ipv4: (text) => ipv4.test(text),
  uri: (text) => uri.test(text),
  uuid: (text) => uuid.test(text),
};

/** A day of the calendar. The engine's own parser takes 30 February. */
function isDate(text: string): boolean {
  const [, year, month, day] = (date.exec(text) ?? []).map(Number);
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const last = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day >= 1 && day <= last;
}
