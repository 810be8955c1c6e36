import { type FieldSpec, findNumberText, isJsonObject } from "@hub/connector";
import { HubError } from "../../../errors.ts";

/** A field in a widget's result that a widget may not change. */
export type RefusedField = { field: string; reason: string };

/** Bounds the reply; a form has fewer refused fields than this. */
export const refusedMax = 20;

/** The `fields` of a result as a flat map; throws `upstream_error` for anything else. */
export function parseWidgetFields(operation: string, fields: unknown): Record<string, unknown> {
  if (fields === undefined || fields === null) return {};
  if (isJsonObject(fields) && Object.values(fields).every(isFlat)) return fields;
  throw new HubError(
    "upstream_error",
    `The operation "${operation}" ran, but its \`fields\` are not a map of names to strings, numbers and booleans. Nothing was saved. Report this to the plugin's author.`,
  );
}

function isFlat(value: unknown): boolean {
  return (
    value === null ||
    typeof value === "string" ||
    typeof value === "boolean" ||
    findNumberText(value) !== null
  );
}

/**
 * Separates the fields that a widget may save from those it may not: a `locked` field is set once,
 * and a `url` allows requests to its host, so a plugin must not choose it.
 */
export function sortWidgetFields(
  configFields: readonly FieldSpec[],
  given: Record<string, unknown>,
): { values: Record<string, unknown>; refused: RefusedField[] } {
  const byKey = new Map(configFields.map((field) => [field.key, field]));
  const values: [string, unknown][] = [];
  const refused: RefusedField[] = [];
  for (const [name, value] of Object.entries(given)) {
    const reason = findReason(byKey.get(name));
    if (reason === null) values.push([name, value]);
    else refused.push({ field: name, reason });
  }
  return { values: Object.fromEntries(values), refused: refused.slice(0, refusedMax) };
}

function findReason(field: FieldSpec | undefined): string | null {
  if (field === undefined) return "The connector has no such field.";
  if (field.locked) return "It cannot be changed after the row is created.";
  if (field.widget === "url") return "Only an admin can change an address.";
  return null;
}
