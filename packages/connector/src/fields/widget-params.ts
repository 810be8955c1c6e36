import type { FieldSpec, ValuesByKey } from "./field-spec.ts";
import { isWireKey, toWireKey } from "./wire-key.ts";

/** The `data-op` that stores its `data-arg` as the field's value and calls no operation. */
export const selectOp = "__select";

/** What a click inside an `html` widget sends: its `data-arg`, and the named elements by name. */
export type WidgetClick = { arg?: string; inputs: Readonly<Record<string, string>> };

/**
 * The params of the operation that a click runs: `data-arg` becomes the input `arg`, and an element
 * named `days` (collected as `input.days`) becomes `input_days`. Only inputs that the operation has
 * are given. A browser sends a checkbox or radio only when it is checked, so a boolean input is
 * true when its element was sent at all.
 *
 * @example
 * // <input type="checkbox" name="dry_run"> and <button data-op="prune" data-arg="7">
 * prune: { input: { Arg: wick.int("required"), InputDryRun: wick.bool() }, … }
 */
export function toWidgetParams(fields: readonly FieldSpec[], click: WidgetClick): ValuesByKey {
  const collected = new Map(
    Object.entries(click.inputs).map(([name, value]) => [toWidgetInput(name) ?? "", value]),
  );
  if (click.arg !== undefined) collected.set("arg", click.arg);
  const params: [string, unknown][] = [];
  for (const { key, base } of fields) {
    const sent = collected.get(key);
    if (base === "boolean" && key.startsWith("input_")) params.push([key, sent !== undefined]);
    else if (sent !== undefined) params.push([key, sent]);
  }
  return Object.fromEntries(params);
}

/** The input that a widget's element of this name fills: `dry-run` → `input_dry_run`; null for none. */
export function toWidgetInput(name: string): string | null {
  const key = toWireKey(name.replace(/[^A-Za-z0-9_]+/g, "_"));
  return isWireKey(key) ? `input_${key}` : null;
}
