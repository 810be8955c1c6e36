import { isJsonObject, type JsonSchema } from "@hub/connector";

/** The words of OpenAPI 3.0 and of older drafts that JSON Schema 2020-12 writes in another way. */
export function upgrade(schema: JsonSchema): JsonSchema {
  const { items, minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...others } = schema;
  const isTuple = Array.isArray(items);
  return {
    ...others,
    ...(isTuple ? { prefixItems: items } : items !== undefined && { items }),
    ...toLimit("minimum", "exclusiveMinimum", minimum, exclusiveMinimum),
    ...toLimit("maximum", "exclusiveMaximum", maximum, exclusiveMaximum),
    ...(schema.type === "file" && { type: "string", contentEncoding: "base64" }),
    ...(isBinary(schema) && { contentEncoding: "base64", format: undefined }),
  };
}

function toLimit(
  inclusive: string,
  exclusive: string,
  limit: unknown,
  given: unknown,
): Record<string, unknown> {
  if (given === true) return { [exclusive]: limit };
  return {
    ...(limit !== undefined && { [inclusive]: limit }),
    ...(typeof given === "number" && { [exclusive]: given }),
  };
}

/** Bytes, which JSON has as base64. */
export function isBinary(schema: JsonSchema): boolean {
  return (
    schema.format === "binary" ||
    schema.type === "file" ||
    schema.format === "byte" ||
    schema.format === "base64"
  );
}

/** Only what a value is, without its parts. */
export function copyType(schema: JsonSchema): JsonSchema {
  const { type, properties, items } = schema;
  const found =
    typeof type === "string" && type !== "file"
      ? { type }
      : isJsonObject(properties)
        ? { type: "object" }
        : items === undefined
          ? {}
          : { type: "array" };
  return Array.isArray(type) ? { type } : toNullable(found, isNullable(schema));
}

/** In Swagger 2, the word is a common extension. */
export function isNullable(schema: JsonSchema): boolean {
  return schema.nullable === true || schema["x-nullable"] === true;
}

/** The schema that also admits null. */
export function toNullable(schema: JsonSchema, isNullable: boolean): JsonSchema {
  if (!isNullable) return schema;
  const { type, description, enum: values, ...others } = schema;
  if (typeof type === "string") {
    const withNull = Array.isArray(values) && !values.includes(null) ? [...values, null] : values;
    return { ...schema, type: [type, "null"], ...(withNull !== undefined && { enum: withNull }) };
  }
  if (type !== undefined) return schema;
  const rest = { ...others, ...(values !== undefined && { enum: values }) };
  if (Object.keys(rest).length === 0) return schema;
  return { anyOf: [rest, { type: "null" }], ...(description !== undefined && { description }) };
}
