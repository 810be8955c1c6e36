import {
  findNumberText,
  isJsonObject,
  type Json,
  listUndeclared,
  type WidgetClick,
} from "@hub/connector";
import { HubError } from "../errors.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import type { Mask } from "../secrets/mask.ts";
import type { TokenOwner } from "../secrets/value-tokens.ts";
import { LargeAnswer } from "./answers/large-answers.ts";
import type { Target } from "./find-operation.ts";
import { maskSecretInputs, openParams } from "./open-params.ts";
import type { WidgetCall } from "./operations.ts";

/** Secrets by the names of the row's fields: an element of such a name holds such a value. */
function toDeps(target: Target, ring: KeyRing, mask: Mask) {
  return { ring, mask, fields: target.connector.configFields };
}

/** Adds what stands in elements that are named as the row's secret fields. */
export function maskWidget(target: Target, ring: KeyRing, mask: Mask, widget: WidgetClick): void {
  maskSecretInputs(toDeps(target, ring, mask), widget.inputs);
}

/** The widget's values with their tokens opened, as those of params are. */
export function openWidget(
  target: Target,
  { ring, mask, owner }: { ring: KeyRing; mask: Mask; owner: TokenOwner },
  { inputs, arg, browser }: WidgetClick,
): WidgetClick {
  const { fields, ...deps } = toDeps(target, ring, mask);
  // An element's value is text, also where the field is a table.
  const texts = fields.map(({ columns: _, ...field }) => field);
  // Opening replaces texts by texts.
  const open = (values: Record<string, string>) =>
    openParams({ ...deps, fields: texts }, owner, values).params as Record<string, string>;
  return {
    inputs: open({ ...inputs }),
    ...(arg !== undefined && open({ arg })),
    ...(browser !== undefined && open({ browser })),
  };
}

/**
 * What the audit row has of a widget's call beside its params. Elements that no input declares may
 * hold a password, so their values are not kept; null where there is nothing to add.
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
      _omitted: `Values of the widget's elements were not kept: ${names.join(", ")}.`,
    }),
  };
}

/**
 * Hands the `fields` of an answer to the one that asked, in plain. What they hold of secret fields is
 * the row's from here on, so it leaves sealed, into the audit row as well.
 */
export function takeFields(
  { connector }: Target,
  mask: Pick<Mask, "addSecret">,
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
  widget?.takeFields?.(fields);
}

/** Large answers are not read in this process, so a secret in its fields could not be found either. */
function toUnreadFields(): HubError {
  return new HubError(
    "upstream_error",
    "The widget's operation answered more than 256 KiB, so its `fields` were not read and nothing was saved. Report this to the plugin's author.",
  );
}
