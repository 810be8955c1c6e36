import type { FieldSpec, ValuesByKey } from "./field-spec.ts";
import { isWireKey, toWireKey } from "./wire-key.ts";

/** The `data-op` that stores its `data-arg` as the field's value without calling an operation. */
export const selectOp = "__select";

/** The data that an `html` widget sends to an operation when it is rendered or clicked. */
export type WidgetClick = {
  /** The clicked element's `data-arg`. */
  arg?: string;
  /** `data-arg`, or else the field's current value, as version-1 plugins receive it. */
  browser?: string;
  /** Values of the named elements, by name. */
  inputs: Readonly<Record<string, string>>;
};

/**
 * The params of the operation that a click runs. `data-arg` becomes the input `arg`, and an element
 * named `days` (sent as `input.days`) becomes `input_days`. As for version-1 plugins, inputs named
 * `browser` and `days` are filled too. Only the operation's inputs are filled; the other values are
 * in its context. A browser sends a checkbox or radio only if it is checked, so a boolean input is
 * true if its element was sent.
 *
 * @example
 * // <input type="checkbox" name="dry_run"> and <button data-op="prune" data-arg="7">
 * prune: { input: { Arg: wick.int("required"), InputDryRun: wick.bool() }, … }
 */
export function toWidgetParams(fields: readonly FieldSpec[], click: WidgetClick): ValuesByKey {
  const names = Object.entries(click.inputs);
  const collected = new Map([
    ...names,
    ...names.map(([name, value]) => [toWidgetInput(name) ?? "", value] as const),
  ]);
  if (click.browser !== undefined) collected.set("browser", click.browser);
  if (click.arg !== undefined) collected.set("arg", click.arg);
  const params: [string, unknown][] = [];
  for (const { key, base } of fields) {
    const sent = collected.get(key);
    if (base !== "boolean") {
      if (sent !== undefined) params.push([key, sent]);
    } else if (key.startsWith("input_")) params.push([key, sent !== undefined]);
    // Without the prefix, the input may belong to no element, so a missing value is not false.
    else if (sent !== undefined) params.push([key, sent !== "false"]);
  }
  return Object.fromEntries(params);
}

/** The names of the elements that no input declares. */
export function listUndeclared(fields: readonly FieldSpec[], { inputs }: WidgetClick): string[] {
  const keys = new Set(fields.map(({ key }) => key));
  return Object.keys(inputs).filter(
    (name) => !(keys.has(name) || keys.has(toWidgetInput(name) ?? "")),
  );
}

/**
 * The input for a widget element of this name: `dry-run` → `input_dry_run`; null if there is none.
 */
export function toWidgetInput(name: string): string | null {
  const key = toWireKey(name.replace(/[^A-Za-z0-9_]+/g, "_"));
  return isWireKey(key) ? `input_${key}` : null;
}
