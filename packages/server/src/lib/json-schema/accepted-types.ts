import { isJsonObject, type JsonSchema } from "@hub/connector";
import { resolveReference } from "./resolve-reference.ts";

/** A type of a JSON value. A whole number is a `number`. */
export type JsonType = "null" | "boolean" | "number" | "string" | "array" | "object";

/** Types as bits, because a validation asks for those of many schemas. */
export type TypeSet = number;

const bits: { readonly [Type in JsonType]: TypeSet } = {
  null: 1,
  boolean: 2,
  number: 4,
  string: 8,
  array: 16,
  object: 32,
};
export const allTypes: TypeSet = 63;

export function hasType(types: TypeSet, type: JsonType): boolean {
  return (types & bits[type]) !== 0;
}

export function toJsonType(value: unknown): JsonType {
  if (value === null || value === undefined) return "null";
  if (typeof value === "boolean") return "boolean";
  if (typeof value === "string") return "string";
  if (Array.isArray(value)) return "array";
  return isJsonObject(value) ? "object" : "number";
}

/** Schemas within schemas are followed so far. */
export const levelsMax = 20;

/**
 * The types that a schema accepts. Keywords that depend on the value can exclude more: a value of another type is
 * refused in any case.
 */
export function findAcceptedTypes(
  root: JsonSchema,
  spend: (steps: number) => void,
  schema: unknown,
  level = 0,
): TypeSet {
  spend(1);
  if (schema === false) return 0;
  if (!isJsonObject(schema) || level > levelsMax) return allTypes;
  const findInner = (one: unknown) => findAcceptedTypes(root, spend, one, level + 1);
  const { $ref, allOf, anyOf, oneOf } = schema;
  let types = findOwnTypes(schema, spend);
  if (typeof $ref === "string") types &= findInner(resolveReference(root, $ref, spend));
  if (Array.isArray(allOf)) for (const one of allOf) types &= findInner(one);
  for (const alternatives of [anyOf, oneOf]) {
    if (!Array.isArray(alternatives)) continue;
    let either = 0;
    for (const one of alternatives) either |= findInner(one);
    types &= either;
  }
  return types;
}

function findOwnTypes(
  { type, enum: values, const: only }: JsonSchema,
  spend: (steps: number) => void,
): TypeSet {
  let types = allTypes;
  if (Array.isArray(type)) types = join(type, toNamedType, spend);
  else if (type !== undefined) types = toNamedType(type);
  if (Array.isArray(values)) types &= join(values, toTypeOf, spend);
  return only === undefined ? types : types & toTypeOf(only);
}

function join(
  parts: readonly unknown[],
  toTypes: (part: unknown) => TypeSet,
  spend: (steps: number) => void,
): TypeSet {
  spend(parts.length);
  let types = 0;
  for (const part of parts) types |= toTypes(part);
  return types;
}

function toNamedType(name: unknown): TypeSet {
  if (name === "integer") return bits.number;
  // Safe: the table has such a member.
  return typeof name === "string" && Object.hasOwn(bits, name) ? bits[name as JsonType] : 0;
}

function toTypeOf(value: unknown): TypeSet {
  return bits[toJsonType(value)];
}
