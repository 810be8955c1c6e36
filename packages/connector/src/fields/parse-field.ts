import type { Field } from "../field-tags.ts";
import { suggest } from "../suggest.ts";
import type { FieldSpec } from "./field-spec.ts";
import { toValueText } from "./field-value.ts";
import { modifierAttributes, readModifiers } from "./read-modifiers.ts";
import { readWidget, type WidgetSpec, widgetAttributes } from "./read-widget.ts";
import { type FailAttribute, splitTag, type TagAttribute } from "./split-tag.ts";
import { parseStored } from "./stored-value.ts";
import { isWireKey, toWireKey } from "./wire-key.ts";

/**
 * Parses a tagged field. Error messages begin with `errorPrefix`, such as `Connector "logs", field
 * BaseURL`. `parseFields` checks dependencies between fields.
 */
export function parseField(errorPrefix: string, name: string, { base, tag }: Field): FieldSpec {
  const fail: FailAttribute = (attribute, problem) => {
    throw new Error(`${errorPrefix}: attribute "${attribute}" ${problem}`);
  };
  const attributes = splitTag(tag, fail);
  checkNames(attributes, fail);
  const { key, ...modifiers } = readModifiers(attributes, fail);
  const { options, ...widget } = readWidget(base, attributes, fail);
  const spec: FieldSpec = {
    name,
    key: key ?? deriveKey(errorPrefix, name),
    ...widget,
    secret: widget.widget === "secret",
    ...modifiers,
  };
  // Values are compared as text, so options and defaults are kept as a typed value's text.
  if (options !== undefined) spec.options = readOptions(spec, options, fail);
  if (spec.default !== undefined) spec.default = toCanonical(spec, "default", spec.default, fail);
  if (spec.personal) checkPersonal(spec, fail);
  return spec;
}

/** Converts a value in a tag to the text of a value of its field. Fails if it does not fit. */
export function toCanonical(
  spec: FieldSpec,
  attribute: string,
  text: string,
  fail: FailAttribute,
): string {
  const parsed = parseStored(spec, text);
  if ("value" in parsed) return spec.base === "json" ? text : toValueText(parsed.value);
  return fail(attribute, `has the value "${text}", which ${parsed.issue.message}`);
}

/** The widgets of fields that a user may have an own value for. */
export const personalWidgets: ReadonlySet<FieldSpec["widget"]> = new Set<FieldSpec["widget"]>([
  "text",
  "textarea",
  "secret",
  "email",
]);

/**
 * A user types the value of a personal field, or signs in elsewhere to get it. Attack: with an own address, a user
 * would choose where calls with the row's other secrets go.
 */
function checkPersonal(spec: FieldSpec, fail: FailAttribute): void {
  if (!personalWidgets.has(spec.widget)) {
    fail("personal", "is for the widgets text, textarea, secret and email");
  }
  if (spec.default !== undefined) fail("personal", 'cannot stand beside "default"');
  const other = (["locked", "regen", "hidden"] as const).find((name) => spec[name]);
  if (other !== undefined) fail("personal", `cannot stand beside "${other}"`);
}

const attributeNames = [...widgetAttributes, ...modifierAttributes];

function checkNames(attributes: readonly TagAttribute[], fail: FailAttribute): void {
  const seen = new Set<string>();
  for (const { name } of attributes) {
    if (!attributeNames.includes(name)) fail(name, `is not known.${suggest(name, attributeNames)}`);
    if (seen.has(name)) fail(name, "is a duplicate");
    seen.add(name);
  }
}

function deriveKey(errorPrefix: string, name: string): string {
  const key = toWireKey(name);
  if (/^[A-Za-z]/.test(name) && isWireKey(key)) return key;
  throw new Error(
    `${errorPrefix}: the name gives no key of a-z, 0-9 and _, at most 64; rename the field or add "key=…"`,
  );
}

function readOptions(
  spec: FieldSpec,
  options: NonNullable<WidgetSpec["options"]>,
  fail: FailAttribute,
): string[] {
  const texts = options.map((option) => toCanonical(spec, "dropdown", option, fail));
  const twice = texts.find((text, index) => texts.indexOf(text) !== index);
  return twice === undefined ? texts : fail("dropdown", `names "${twice}" twice`);
}
