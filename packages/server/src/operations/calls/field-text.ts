import { type FieldSpec, parseJson, toJsonText } from "@hub/connector";
import { toInvalidParams } from "../../errors.ts";
import { isNestedWithin } from "../../lib/json/check-nesting.ts";
import type { TextKind } from "../../secrets/value-tokens/write-opened.ts";

/** A table has three levels: the table, its rows and its cells. Deeper JSON text is not a table. */
const nestingMax = 8;

/**
 * Parses a table that is given as JSON text, before its tokens are opened, so that an opened value
 * cannot add rows or columns. Other values stay unchanged.
 */
export function parseTableText(field: FieldSpec, value: unknown): unknown {
  const isTable = field.columns !== undefined;
  if (!isTable || typeof value !== "string" || !isNestedWithin(value, nestingMax)) return value;
  try {
    return parseJson(value);
  } catch {
    return value;
  }
}

/** The format of a field's text. It decides how opened values are escaped. */
export function toTextKind(
  field: FieldSpec | undefined,
  params: Record<string, unknown>,
): TextKind {
  if (field?.embed === "form") return isFormCall(params) ? "percent" : "json";
  return field?.embed ?? "json";
}

/** Refuses an opened value that would become several items of a comma-separated list. */
export function checkList(key: string, given: string, opened: string): void {
  if (countItems(given) === countItems(opened)) return;
  throw toInvalidParams([
    {
      path: key,
      message:
        "contains an encrypted value with a comma, which would split it into two items; use a value without a comma",
    },
  ]);
}

function countItems(text: string): number {
  return text.split(",").length;
}

/** Whether an input or a header of the call declares a form body. */
function isFormCall({ content_type, headers }: Record<string, unknown>): boolean {
  return [content_type, headers].some(
    (given) => given !== undefined && /x-www-form-urlencoded/i.test(toJsonText(given)),
  );
}
