import {
  findNumberText,
  isJsonObject,
  type Json,
  listUndeclared,
  type WidgetClick,
} from "@hub/connector";
import { HubError } from "../../errors.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import type { Mask } from "../../secrets/masks/mask.ts";
import type { TokenOwner } from "../../secrets/value-tokens/value-tokens.ts";
import { LargeAnswer } from "../answers/large-answers.ts";
import { maskSecretInputs, openParams } from "../calls/open-params.ts";
import type { Target } from "../catalogue/find-operation.ts";
import type { FieldMask, WidgetCall } from "../operations.ts";

/** Applies the row's secret fields to widget elements of the same name. */
function toDeps(target: Target, ring: KeyRing, mask: Mask) {
  return { ring, mask, fields: target.connector.configFields };
}

/** Adds the values of elements that have the name of a secret field of the row. */
export function maskWidget(target: Target, ring: KeyRing, mask: Mask, widget: WidgetClick): void {
  maskSecretInputs(toDeps(target, ring, mask), widget.inputs);
}

/** Opens the tokens in the widget's values, as in params. */
export function openWidget(
  target: Target,
  { ring, mask, owner }: { ring: KeyRing; mask: Mask; owner: TokenOwner },
  { inputs, arg, browser }: WidgetClick,
): WidgetClick {
  const { fields, ...deps } = toDeps(target, ring, mask);
  // The value of an element is always text, even if the field is a table.
  const texts = fields.map(({ columns: _, ...field }) => field);
  // Safe: opening replaces texts by texts.
  const open = (values: Record<string, string>) =>
    openParams({ ...deps, fields: texts }, owner, values).params as Record<string, string>;
  return {
    inputs: open({ ...inputs }),
    ...(arg !== undefined && open({ arg })),
    ...(browser !== undefined && open({ browser })),
  };
}

/**
 * The audit record of a widget's values; null if there is nothing to add. Values of undeclared
 * elements are not stored, because they may be passwords.
 */
export function describeWidget(
  { connector, operation }: Target,
  widget: WidgetClick,
): Record<string, Json> | null {
  const isVersion1 = connector.protoVersion === 1;
  const { inputFields: fields } = operation;
  const names = isVersion1 ? Object.keys(widget.inputs) : listUndeclared(fields, widget);
  if (names.length === 0 && !isVersion1) return null;
  return {
    ...(isVersion1 && { browser: widget.browser ?? "" }),
    ...(names.length > 0 && {
      _omitted: `Values of the widget's elements were not stored: ${names.join(", ")}.`,
    }),
  };
}

/**
 * Passes an answer's `fields` to the widget in plaintext. Values of secret fields become secrets of
 * the row, so that they are sealed everywhere else, including the audit row.
 */
export function takeFields(
  { connector }: Target,
  mask: Pick<Mask, "addSecret"> & FieldMask,
  answer: unknown,
  widget: WidgetCall | undefined,
): void {
  if (answer instanceof LargeAnswer && widget?.takeFields) throw toUnreadFields();
  if (!isJsonObject(answer) || !Object.hasOwn(answer, "fields")) return;
  const { fields } = answer;
  if (isJsonObject(fields)) {
    for (const { key, secret } of connector.configFields) {
      const value = secret && Object.hasOwn(fields, key) ? fields[key] : undefined;
      const text = typeof value === "string" ? value : findNumberText(value);
      if (text) mask.addSecret(text, { ofRow: true });
    }
  }
  widget?.takeFields?.(fields, mask);
}

/** A large answer is not parsed in this process, so secrets in its `fields` could not be found. */
function toUnreadFields(): HubError {
  return new HubError(
    "upstream_error",
    "The answer of the widget's operation is larger than 256 KiB, so its `fields` were not read and nothing was saved. Report this to the plugin's author.",
  );
}
