import { isJsonObject, type JsonSchema } from "@hub/connector";
import { resolveReference } from "./resolve-reference.ts";

/** A type of a JSON value. A whole number is a `number`. */
export type JsonType = "null" | "boolean" | "number" | "string" | "array" | "object";

const all: ReadonlySet<JsonType> = new Set([
  ...(["null", "boolean", "number"] as const),
  ...(["string", "array", "object"] as const),
]);
const none: ReadonlySet<JsonType> = new Set();

export function toJsonType(value: unknown): JsonType {
  if (value === null || value === undefined) return "null";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string") return "string";
  if (Array.isArray(value)) return "array";
  return isJsonObject(value) ? "object" : "number";
}

/** Schemas within schemas are followed so far. */
const levelsMax = 20;

/**
 * The types that a schema accepts. Keywords that depend on the value can exclude more: a value of a type that is not
 * listed is refused in any case.
 */
export function listAcceptedTypes(
  root: JsonSchema,
  spend: (steps: number) => void,
  schema: unknown,
  level = 0,
): ReadonlySet<JsonType> {
  spend(1);
  if (schema === false) return none;
  if (!isJsonObject(schema) || level > levelsMax) return all;
  const listInner = (one: unknown) => listAcceptedTypes(root, spend, one, level + 1);
  const { $ref, allOf } = schema;
  let types = listOwnTypes(schema, spend);
  if (typeof $ref === "string") types = types.intersection(listInner(resolveReference(root, $ref)));
  for (const one of toList(allOf)) types = types.intersection(listInner(one));
  for (const alternatives of [schema.anyOf, schema.oneOf]) {
    if (!Array.isArray(alternatives)) continue;
    let either = none;
    for (const one of alternatives) either = either.union(listInner(one));
    types = types.intersection(either);
  }
  return types;
}

function listOwnTypes(
  { type, enum: values, const: only }: JsonSchema,
  spend: (steps: number) => void,
): ReadonlySet<JsonType> {
  const names = Array.isArray(type) ? type : [type];
  const given = toList(values);
  spend(names.length + given.length);
  let types = all;
  if (type !== undefined) types = new Set(names.flatMap(toTypes));
  if (Array.isArray(values)) types = types.intersection(new Set(given.map(toJsonType)));
  return only === undefined ? types : types.intersection(new Set([toJsonType(only)]));
}

function toTypes(name: unknown): JsonType[] {
  return name === "integer" ? ["number"] : [...all].filter((type) => type === name);
}

function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
