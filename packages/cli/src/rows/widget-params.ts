import { type FieldSpec, toWidgetInput } from "@hub/connector";

/**
 * Converts widget elements to params: the element `input.days` becomes the param `input_days`, and
 * `on`, which a checked box sends, becomes true for a boolean. Other params are kept. An element
 * without a matching field is not a param; the operation finds it in its context.
 */
export function readTestParams(
  fields: readonly FieldSpec[],
  given: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, text]) => {
      const key = toKey(name);
      const field = fields.find((candidate) => candidate.key === key);
      if (field === undefined && name.startsWith(elementPrefix)) return [];
      return [[key, field?.base === "boolean" && text === "on" ? true : text]];
    }),
  );
}

/** Returns the widget elements by name, or null if there are none. */
export function readTestInputs(
  given: Readonly<Record<string, string>>,
): Record<string, string> | null {
  const elements = Object.entries(given).filter(([name]) => name.startsWith(elementPrefix));
  if (elements.length === 0) return null;
  return Object.fromEntries(
    elements.map(([name, text]) => [name.slice(elementPrefix.length), text]),
  );
}

const elementPrefix = "input.";

function toKey(name: string): string {
  if (!name.startsWith(elementPrefix)) return name;
  return toWidgetInput(name.slice(elementPrefix.length)) ?? name;
}
