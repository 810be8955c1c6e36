import { type FieldBase, type FieldSpec, isJsonObject, type JsonSchema } from "@hub/connector";

/** A form with more fields is not usable, and search finds enough words in these. */
const fieldsMax = 200;

/**
 * The members of an operation's schema as fields, for forms, search, workflows and secrets. The
 * schema alone decides which values are valid.
 */
export function toSchemaFields(schema: JsonSchema): FieldSpec[] {
  const { properties } = schema;
  if (!isJsonObject(properties)) return [];
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  return Object.entries(properties)
    .slice(0, fieldsMax)
    .map(([key, member]) => toField(key, isJsonObject(member) ? member : {}, required.has(key)));
}

function toField(key: string, schema: JsonSchema, required: boolean): FieldSpec {
  const base = toBase(schema);
  const options = base === "text" ? toOptions(schema) : undefined;
  const secret = schema.format === "password" || schema.writeOnly === true;
  return {
    name: key,
    key,
    base,
    widget: toWidget(base, { secret, hasOptions: options !== undefined }),
    ...(options && { options }),
    ...(typeof schema.description === "string" && { description: schema.description }),
    required,
    secret,
    locked: false,
    regen: false,
    hidden: false,
  };
}

function toBase({ type }: JsonSchema): FieldBase {
  // A member that may also be null is left out instead.
  const types = Array.isArray(type) ? type.filter((one) => one !== "null") : [type];
  const [only, ...others] = types;
  if (others.length > 0 || typeof only !== "string") return "json";
  return bases[only] ?? "json";
}

const bases: { [type: string]: FieldBase | undefined } = {
  string: "text",
  integer: "integer",
  number: "float",
  boolean: "boolean",
};

function toOptions({ enum: values }: JsonSchema): string[] | undefined {
  if (!Array.isArray(values)) return undefined;
  const texts = values.filter((value) => typeof value === "string");
  return texts.length > 0 ? texts : undefined;
}

function toWidget(
  base: FieldBase,
  { secret, hasOptions }: { secret: boolean; hasOptions: boolean },
): FieldSpec["widget"] {
  if (secret) return "secret";
  if (hasOptions) return "dropdown";
  if (base === "boolean") return "checkbox";
  if (base === "json") return "textarea";
  return base === "text" ? "text" : "number";
}
