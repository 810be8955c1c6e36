import { isJsonObject, type JsonSchema } from "@hub/connector";
import { assertsFormats } from "../../lib/json-schema/dialect.ts";
import { resolveReference } from "../../lib/json-schema/resolve-reference.ts";

/** Why a schema cannot be used. `message` completes the sentence "its input schema …". */
export class SchemaRefusal extends Error {
  override readonly name = "SchemaRefusal";
}

const subschemasMax = 2_000;
const depthMax = 64;

/**
 * A schema from outside as draft 2020-12, with references inside itself alone. Texts pass through
 * `cleanText`. Throws a SchemaRefusal.
 */
export function cleanSchema(schema: unknown, cleanText: (text: string) => string): JsonSchema {
  let count = 0;

  function clean(value: unknown, depth: number): unknown {
    if (value === true || value === false) return value;
    if (!isJsonObject(value)) return true;
    if (depth > depthMax) throw new SchemaRefusal(`is nested deeper than ${depthMax} levels`);
    count += 1;
    if (count > subschemasMax) throw new SchemaRefusal(`has more than ${subschemasMax} parts`);
    const cleaned: JsonSchema = {};
    for (const [keyword, given] of Object.entries(upgrade(value))) {
      const member = cleanMember(keyword, given, depth + 1);
      if (member !== undefined) cleaned[keyword] = member;
    }
    return cleaned;
  }

  function cleanMember(keyword: string, given: unknown, depth: number): unknown {
    if (keyword === "$ref") return checkReference(given);
    if (oneSchema.has(keyword)) return clean(given, depth);
    if (listOfSchemas.has(keyword)) {
      if (!Array.isArray(given) || given.length === 0) return undefined;
      return given.map((one) => clean(one, depth));
    }
    if (recordOfSchemas.has(keyword)) {
      if (!isJsonObject(given)) return undefined;
      return Object.fromEntries(
        Object.entries(given)
          .filter(([name]) => name !== "__proto__")
          .map(([name, one]) => [name, clean(one, depth)]),
      );
    }
    if (texts.has(keyword)) return typeof given === "string" ? cleanText(given) : undefined;
    return plainKeywords[keyword]?.(given) === true ? given : undefined;
  }

  const cleaned = clean(schema, 0);
  if (!isJsonObject(cleaned)) return { type: "object" };
  if (cleaned.type !== undefined && cleaned.type !== "object") {
    throw new SchemaRefusal("does not describe an object");
  }
  checkReferences(cleaned);
  return { ...cleaned, type: "object" };
}

/** Keywords of older drafts in the words of draft 2020-12. */
function upgrade(schema: JsonSchema): JsonSchema {
  return upgradeDependencies(upgradeItems(schema));
}

function upgradeItems(schema: JsonSchema): JsonSchema {
  const { items, additionalItems, ...others } = schema;
  if (!Array.isArray(items)) return schema;
  return {
    ...others,
    prefixItems: items,
    ...(additionalItems !== undefined && { items: additionalItems }),
  };
}

function upgradeDependencies(schema: JsonSchema): JsonSchema {
  const { dependencies, ...others } = schema;
  if (!isJsonObject(dependencies)) return schema;
  const entries = Object.entries(dependencies);
  return {
    ...others,
    dependentRequired: Object.fromEntries(entries.filter(([, needed]) => Array.isArray(needed))),
    dependentSchemas: Object.fromEntries(entries.filter(([, needed]) => !Array.isArray(needed))),
  };
}

const oneSchema = new Set([
  "additionalProperties",
  "contains",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);

const listOfSchemas = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);

const recordOfSchemas = new Set([
  "$defs",
  "definitions",
  "dependentSchemas",
  "patternProperties",
  "properties",
]);

const texts = new Set(["title", "description"]);

/** The other keywords, and the values that they may have. All others are left out. */
const plainKeywords: { [keyword: string]: ((value: unknown) => boolean) | undefined } = {
  // Of the others, nothing depends.
  $schema: assertsFormats,
  type: (value) =>
    isTypeName(value) || (isList(value) && value.length > 0 && value.every(isTypeName)),
  enum: (value) => isList(value) && value.length > 0,
  const: () => true,
  default: () => true,
  examples: isList,
  required: isListOfTexts,
  dependentRequired: (value) => isJsonObject(value) && Object.values(value).every(isListOfTexts),
  format: isText,
  pattern: isText,
  contentEncoding: isText,
  contentMediaType: isText,
  deprecated: isFlag,
  // Of MCP: the server expects the argument in this header, too.
  "x-mcp-header": isText,
  readOnly: isFlag,
  writeOnly: isFlag,
  uniqueItems: isFlag,
  minimum: Number.isFinite,
  maximum: Number.isFinite,
  exclusiveMinimum: Number.isFinite,
  exclusiveMaximum: Number.isFinite,
  multipleOf: (value) => Number.isFinite(value) && Number(value) > 0,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minContains: isCount,
  maxContains: isCount,
  minProperties: isCount,
  maxProperties: isCount,
};

const typeNames = new Set(["array", "boolean", "integer", "null", "number", "object", "string"]);

function isTypeName(value: unknown): boolean {
  return typeof value === "string" && typeNames.has(value);
}

function isList(value: unknown): value is unknown[] {
  return Array.isArray(value);
}

function isListOfTexts(value: unknown): boolean {
  return isList(value) && value.every(isText);
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function checkReference(given: unknown): string {
  if (typeof given === "string" && (given === "#" || given.startsWith("#/"))) return given;
  throw new SchemaRefusal("refers to another document");
}

/** A reference to nothing would fail only when the first call is checked. */
function checkReferences(root: JsonSchema): void {
  const seen = new Map<string, boolean>();
  JSON.stringify(root, (key, value: unknown) => {
    if (key === "$ref" && typeof value === "string") {
      if (!seen.has(value)) seen.set(value, hasPart(root, value));
      if (seen.get(value) === false)
        throw new SchemaRefusal("refers to a part that it does not have");
    }
    return value;
  });
}

function hasPart(root: JsonSchema, reference: string): boolean {
  const part = resolveReference(root, reference);
  return typeof part === "boolean" || isJsonObject(part);
}
