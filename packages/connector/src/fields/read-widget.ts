import type { FieldBase, FieldSpec, FieldWidget } from "./field-spec.ts";
import type { FailAttribute, TagAttribute } from "./split-tag.ts";
import { isWireKey } from "./wire-key.ts";

/** The result of a tag's widget attribute, or of its absence. */
export type WidgetSpec = Pick<
  FieldSpec,
  "base" | "widget" | "options" | "columns" | "source" | "htmlOp"
>;

/** Attribute name → widget. `checkbox` has three names. */
export const widgetNames = {
  textarea: "textarea",
  dropdown: "dropdown",
  checkbox: "checkbox",
  bool: "checkbox",
  boolean: "checkbox",
  number: "number",
  secret: "secret",
  email: "email",
  url: "url",
  color: "color",
  date: "date",
  datetime: "datetime",
  kvlist: "kvlist",
  picker: "picker",
  html: "html",
} as const satisfies Record<string, FieldWidget>;

export const widgetAttributes: readonly string[] = Object.keys(widgetNames);

const automaticWidgets: Record<FieldBase, FieldWidget> = {
  text: "text",
  integer: "number",
  float: "number",
  boolean: "checkbox",
  json: "textarea",
};

/** For each widget: the declared base and the base of the value. Other bases do not fit. */
const widgetBases: Record<FieldWidget, { [Base in FieldBase]?: FieldBase }> = {
  text: { text: "text" },
  textarea: { text: "text", json: "json" },
  dropdown: { text: "text", integer: "integer", float: "float" },
  checkbox: { text: "boolean", boolean: "boolean" },
  number: { text: "float", integer: "integer", float: "float" },
  secret: { text: "text" },
  email: { text: "text" },
  url: { text: "text" },
  color: { text: "text" },
  date: { text: "text" },
  datetime: { text: "text" },
  kvlist: { text: "json" },
  picker: { text: "json" },
  html: { text: "text", integer: "integer", float: "float" },
};

/** The possible bases of a widget's value. The first is the default. */
export function listWidgetBases(widget: FieldWidget): FieldBase[] {
  return [...new Set(Object.values(widgetBases[widget]))];
}

/** Parses the widget among a tag's attributes. Without one, the field's base selects it. */
export function readWidget(
  declared: FieldBase,
  attributes: readonly TagAttribute[],
  fail: FailAttribute,
): WidgetSpec {
  const [first, second] = attributes.filter(({ name }) => Object.hasOwn(widgetNames, name));
  if (first === undefined) return { base: declared, widget: automaticWidgets[declared] };
  if (second !== undefined)
    fail(second.name, `contradicts "${first.name}": a field has one widget`);
  // Safe: the filter above accepts only names of the table.
  const widget = widgetNames[first.name as keyof typeof widgetNames];
  const base = widgetBases[widget][declared];
  if (base === undefined) return fail(first.name, `does not fit a field of base type ${declared}`);
  return { base, widget, ...readArgument(widget, first, fail) };
}

function readArgument(
  widget: FieldWidget,
  { name, value }: TagAttribute,
  fail: FailAttribute,
): Partial<WidgetSpec> {
  switch (widget) {
    case "dropdown":
      return { options: readList(name, needValue(name, value, "a|b|c", fail), fail) };
    case "kvlist":
      return { columns: value === null ? ["value"] : readList(name, value, fail) };
    case "picker":
      return { columns: ["id", "name"], source: needValue(name, value, "source", fail) };
    case "html":
      return { htmlOp: readOperationKey(name, needValue(name, value, "operation", fail), fail) };
    default:
      return value === null ? {} : fail(name, `takes no value; write just "${name}"`);
  }
}

function needValue(
  name: string,
  value: string | null,
  example: string,
  fail: FailAttribute,
): string {
  return value ? value : fail(name, `needs a value, such as "${name}=${example}"`);
}

function readList(name: string, value: string, fail: FailAttribute): string[] {
  const items = value.split("|");
  if (items.includes("")) fail(name, "has an empty item; put text between the pipes");
  const twice = items.find((item, index) => items.indexOf(item) !== index);
  if (twice !== undefined) fail(name, `names "${twice}" twice`);
  // As a member name, it would set an object's prototype.
  if (items.includes("__proto__")) fail(name, 'cannot hold "__proto__"');
  return items;
}

function readOperationKey(name: string, value: string, fail: FailAttribute): string {
  if (isWireKey(value)) return value;
  return fail(name, `"${value}" is not a valid operation key: use a-z, 0-9 and _, at most 64`);
}
