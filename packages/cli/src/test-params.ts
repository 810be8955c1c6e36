import { type FieldSpec, toWidgetInput } from "@hub/connector";

/**
 * Params as a widget's elements are written: the element `input.days` is the input `input_days`, and a
 * boolean is true when it is `on`, which is what a checked box sends. Params of other names are kept. An
 * element that fills no input is no param; the operation finds it in its context.
 */
export function readTestParams(
  fields: readonly FieldSpec[],
  given: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, text]) => {
      const key = toKey(name);
      const field = fields.find((candidate) => candidate.key === key);
      if (field === undefined && name.startsWith(collected)) return [];
      return [[key, field?.base === "boolean" && text === "on" ? true : text]];
    }),
  );
}

/** The elements themselves, by name; null where there are none. */
export function readTestInputs(
  given: Readonly<Record<string, string>>,
): Record<string, string> | null {
  const elements = Object.entries(given).filter(([name]) => name.startsWith(collected));
  if (elements.length === 0) return null;
  return Object.fromEntries(elements.map(([name, text]) => [name.slice(collected.length), text]));
}

const collected = "input.";

function toKey(name: string): string {
  if (!name.startsWith(collected)) return name;
  return toWidgetInput(name.slice(collected.length)) ?? name;
}
