import type { JsonSchema } from "@hub/connector";

/** Whether a schema that refers to others has members or items of its own beside them. */
export function hasShape(schema: JsonSchema): boolean {
  return shapes.some((keyword) => Object.hasOwn(schema, keyword));
}

const shapes = ["additionalProperties", "items", "properties", "required"];

/** Whether inputs may stand in schemas that this one is made of. */
export function isComposed(schema: JsonSchema): boolean {
  return compositions.some((keyword) => Object.hasOwn(schema, keyword));
}

const compositions = ["$ref", "allOf", "anyOf", "oneOf"];

/** Whether a schema limits values in a way that its type does not say. */
export function hasMore(schema: JsonSchema): boolean {
  const isLimited = limits.some((keyword) => Object.hasOwn(schema, keyword));
  // That a text or a list is not empty goes without saying.
  return isLimited || [schema.minLength, schema.minItems].some((least) => Number(least) > 1);
}

const limits = [
  "contains",
  "dependentRequired",
  "dependentSchemas",
  "else",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "if",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minProperties",
  "minimum",
  "multipleOf",
  "not",
  "pattern",
  "patternProperties",
  "prefixItems",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
  "uniqueItems",
];
