import { type FieldSpec, toWidgetInput } from "@hub/connector";

/**
 * Params as a widget's elements are written: the element `input.days` is the input `input_days`, and a
 * boolean is true when it is `on`, which is what a checked box sends. Params of other names are kept.
 */
export function readTestParams(
  fields: readonly FieldSpec[],
  given: Readonly<Record<string, string>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(given).map(([name, text]) => {
      const key = toKey(name);
      const isBoolean = fields.some((field) => field.key === key && field.base === "boolean");
      return [key, isBoolean && text === "on" ? true : text];
    }),
  );
}

const collected = "input.";

function toKey(name: string): string {
  if (!name.startsWith(collected)) return name;
  return toWidgetInput(name.slice(collected.length)) ?? name;
}
