import type { FieldWidget } from "./field-spec.ts";

/** The problem with a text that the widget's HTML input would refuse; null if it fits. */
export function findFormatProblem(widget: FieldWidget, value: unknown): string | null {
  if (typeof value !== "string") return null;
  const format = formats[widget];
  return format === undefined || format.fits(value) ? null : `must be ${format.what}`;
}

/** The format of a widget's text, as the object of a verb; null if any text is valid. */
export function describeFormat(widget: FieldWidget): string | null {
  return formats[widget]?.what ?? null;
}

/** Patterns for JSON Schema, for formats that it does not define. */
export const formatPatterns = {
  color: "^#[0-9a-fA-F]{6}$",
  datetime: "^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}(:\\d{2}(\\.\\d{1,3})?)?$",
};

type Format = { fits(text: string): boolean; what: string };

const formats: { [Widget in FieldWidget]?: Format } = {
  email: {
    fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text),
    what: "an e-mail address such as name@example.com",
  },
  url: {
    // A parser reads `localhost:8080` as a URL with the scheme `localhost`.
    fits: (text) => /^[a-z][a-z0-9+.-]*:\/\//i.test(text) && URL.canParse(text),
    what: "a full URL such as https://example.com",
  },
  color: {
    fits: (text) => new RegExp(formatPatterns.color).test(text),
    what: "a colour such as #1a2b3c",
  },
  date: { fits: isDate, what: "a date such as 2026-11-20" },
  datetime: {
    fits: isDateTime,
    what: "a date and time such as 2026-11-20T09:30, without a time zone",
  },
};

function isDate(text: string): boolean {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && isOnCalendar(`${text}T00:00:00`);
}

function isDateTime(text: string): boolean {
  return new RegExp(formatPatterns.datetime).test(text) && isOnCalendar(text);
}

/**
 * Parsers read 30 February as 2 March, so the date must stay the same when it is formatted again.
 */
function isOnCalendar(dateTime: string): boolean {
  const time = Date.parse(`${dateTime}Z`);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(dateTime);
}
