/** Keywords whose value is a schema. */
export const oneSchema = new Set([
  "additionalProperties",
  "contains",
  "else",
  "if",
  "not",
  "propertyNames",
  "then",
]);
/** Keywords whose value is a list of schemas. */
export const listOfSchemas = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
/** Keywords whose value is schemas by name. */
export const recordOfSchemas = new Set(["dependentSchemas", "patternProperties"]);
/** These apply to the value itself, so a reference from there back to itself would never end. */
export const inPlace = new Set([
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
]);

/** Keywords that are copied as they are. The hub checks their values, as of every discovery. */
export const plainKeywords = new Set([
  "const",
  "contentEncoding",
  "contentMediaType",
  "default",
  "dependentRequired",
  "deprecated",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "maxContains",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minContains",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "multipleOf",
  "pattern",
  "required",
  "type",
  "uniqueItems",
]);
