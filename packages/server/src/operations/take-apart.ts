import { type FieldSpec, parseJson, toJsonText } from "@hub/connector";
import { toInvalidParams } from "../errors.ts";
import { isNestedWithin } from "../lib/check-nesting.ts";
import type { TextKind } from "../secrets/write-opened.ts";

/** A table and its rows and cells are three; text that nests deeper is no table. */
const nestingMax = 8;

/**
 * A table that was given as JSON text as the table itself, while its tokens are still closed: their
 * values can then make neither rows nor columns. Everything else as it is.
 */
export function takeApart(field: FieldSpec, value: unknown): unknown {
  const isTable = field.columns !== undefined;
  if (!isTable || typeof value !== "string" || !isNestedWithin(value, nestingMax)) return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

/** What the text of a field is made of, as far as it matters to values that are opened in it. */
export function toTextKind(
  field: FieldSpec | undefined,
  params: Record<string, unknown>,
): TextKind {
  if (field?.embed === "form") return isFormCall(params) ? "percent" : "json";
  return field?.embed ?? "json";
}

/** Refuses an opened value that would be read as several in a comma-separated list. */
export function checkList(key: string, given: string, opened: string): void {
  if (countItems(given) === countItems(opened)) return;
  throw toInvalidParams([
    {
      path: key,
      message:
        "holds an encrypted value with a comma in it, which would be read as two; a value in this list must be without",
    },
  ]);
}

function countItems(text: string): number {
  return text.split(",").length;
}

/** Whether the call says that its body is a form, in an input of its own or in its headers. */
function isFormCall({ content_type, headers }: Record<string, unknown>): boolean {
  return [content_type, headers].some(
    (given) => given !== undefined && /x-www-form-urlencoded/i.test(toJsonText(given)),
  );
}
