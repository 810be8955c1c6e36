import type { FieldSpec, ValuesByKey } from "./field-spec.ts";
import { isWireKey, toWireKey } from "./wire-key.ts";

/** The `data-op` that stores its `data-arg` as the field's value and calls no operation. */
export const selectOp = "__select";

/** What an `html` widget sends to an operation when it is rendered or clicked. */
export type WidgetClick = {
  /** The clicked element's `data-arg`. */
  arg?: string;
  /** `data-arg`, or without one the field's present value: what version-1 plugins are sent. */
  browser?: string;
  /** Values of the named elements, by name. */
  inputs: Readonly<Record<string, string>>;
};

/**
 * The params of the operation that a click runs: `data-arg` becomes the input `arg`, and an element
 * named `days` (collected as `input.days`) becomes `input_days`. Inputs called `browser` and `days`
 * get them as a version-1 plugin does. Only inputs that the operation has are given; the rest stands
 * in its context. A browser sends a checkbox or radio only when it is checked, so a boolean input is
 * true when its element was sent at all.
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
    // By its own name it may be no element at all, so its absence says nothing.
    else if (sent !== undefined) params.push([key, sent !== "false"]);
  }
  return Object.fromEntries(params);
}

/** Names of the elements that fill no input of the operation. */
export function listUndeclared(fields: readonly FieldSpec[], { inputs }: WidgetClick): string[] {
  const keys = new Set(fields.map(({ key }) => key));
  return Object.keys(inputs).filter(
    (name) => !(keys.has(name) || keys.has(toWidgetInput(name) ?? "")),
  );
}

/** The input that a widget's element of this name fills: `dry-run` → `input_dry_run`; null for none. */
export function toWidgetInput(name: string): string | null {
  const key = toWireKey(name.replace(/[^A-Za-z0-9_]+/g, "_"));
  return isWireKey(key) ? `input_${key}` : null;
}
