import { endSentence } from "../end-sentence.ts";
import type { JsonSchema } from "../json.ts";
import type { FieldSpec } from "./field-spec.ts";
import { parseValue } from "./field-value.ts";
import { readDefault } from "./stored-value.ts";
import { describeFormat, formatPatterns } from "./text-format.ts";

/**
 * The JSON Schema (draft 2020-12) of the params that `checkParams` accepts. A required field with a
 * default, or with a `visible_when`, is not in `required`; its description says when it is
 * required. The default of a secret is omitted.
 */
export function toInputSchema(fields: readonly FieldSpec[]): JsonSchema {
  const required = fields.filter(isAlwaysNeeded);
  return {
    type: "object",
    properties: Object.fromEntries(fields.map((field) => [field.key, toProperty(field)])),
    ...(required.length > 0 && { required: required.map((field) => field.key) }),
    additionalProperties: false,
  };
}

function isAlwaysNeeded(field: FieldSpec): boolean {
  return field.required && field.default === undefined && field.visibleWhen === undefined;
}

function toProperty(field: FieldSpec): JsonSchema {
  const description = describe(field);
  const seed = field.secret ? undefined : readDefault(field);
  return {
    ...toType(field),
    ...(description !== "" && { description }),
    ...(seed !== undefined && { default: toSchemaValue(seed) }),
    ...(field.secret && { writeOnly: true }),
  };
}

function describe(field: FieldSpec): string {
  const { description = "", visibleWhen } = field;
  const format = field.lenient ? describeFormat(field.widget) : null;
  const more: string[] = [];
  if (format !== null) more.push(`Usually ${format}.`);
  if (visibleWhen !== undefined) {
    const verb = field.required ? "Needed" : "Used";
    more.push(`${verb} only when ${visibleWhen.field} is ${visibleWhen.values.join(" or ")}.`);
  }
  if (more.length === 0 || description === "") return more.join(" ") || description;
  return [endSentence(description), ...more].join(" ");
}

function toType(field: FieldSpec): JsonSchema {
  if (field.columns !== undefined) return toTable(field, field.columns);
  if (field.base === "json") return {};
  const type = { text: "string", integer: "integer", float: "number", boolean: "boolean" };
  return {
    type: type[field.base],
    ...(field.options !== undefined && { enum: toEnum(field, field.options) }),
    // A schema with a format would refuse values that the plugin accepts.
    ...(!field.lenient && formats[field.widget]),
    // `checkParams` refuses an empty text there, so the schema says so.
    ...(isAlwaysNeeded(field) && isFreeText(field) && { minLength: 1 }),
  };
}

const formats: { [Widget in FieldSpec["widget"]]?: JsonSchema } = {
  email: { format: "email" },
  url: { format: "uri" },
  date: { format: "date" },
  datetime: { pattern: formatPatterns.datetime },
  color: { pattern: formatPatterns.color },
};

function isFreeText(field: FieldSpec): boolean {
  return field.base === "text" && field.options === undefined;
}

/** A picked item must have an id; its name is for display. */
const pickerItem = {
  properties: { id: { type: "string", minLength: 1 }, name: { type: "string" } },
  required: ["id"],
};

function toTable(field: FieldSpec, columns: readonly string[]): JsonSchema {
  return {
    type: "array",
    items: {
      type: "object",
      properties: Object.fromEntries(columns.map((column) => [column, { type: "string" }])),
      ...(field.widget === "picker" && pickerItem),
      additionalProperties: false,
    },
    ...(isAlwaysNeeded(field) && { minItems: 1 }),
  };
}

function toEnum(field: FieldSpec, options: readonly string[]): unknown[] {
  return options.map((option) => {
    const parsed = parseValue(field, option);
    return "value" in parsed ? toSchemaValue(parsed.value) : option;
  });
}

/** Converts bigints, because `JSON.stringify` throws for them. */
function toSchemaValue(value: unknown): unknown {
  return typeof value === "bigint" ? JSON.rawJSON(value.toString()) : value;
}
