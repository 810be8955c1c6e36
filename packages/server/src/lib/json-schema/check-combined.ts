import { isJsonObject } from "@hub/connector";
import { toComparable } from "./json-equal.ts";
import { resolveReference } from "./resolve-reference.ts";
import { type KeywordCheck, listValues } from "./validation.ts";

/** Keywords of all values: types, fixed values, references and combinations of schemas. */
export const combinedKeywords: { [keyword: string]: KeywordCheck } = {
  $ref: ({ check, root }, { $ref }, value, path) =>
    check(resolveReference(root, String($ref)), value, path),
  type(_, { type }, value, path) {
    const types: unknown[] = Array.isArray(type) ? type : [type];
    if (types.some((one) => isOfType(value, one))) return null;
    return { path, message: `must be ${types.map(String).join(" or ")}` };
  },
  enum({ spend }, { enum: values }, value, path) {
    if (!Array.isArray(values)) return null;
    spend(values.length);
    const given = toComparable(value);
    if (values.some((one) => toComparable(one) === given)) return null;
    return { path, message: `must be one of ${listValues(values)}` };
  },
  const: (_, { const: only }, value, path) =>
    toComparable(only) === toComparable(value)
      ? null
      : { path, message: `must be ${listValues([only])}` },
  allOf({ check }, { allOf }, value, path) {
    for (const schema of toList(allOf)) {
      const problem = check(schema, value, path);
      if (problem !== null) return problem;
    }
    return null;
  },
  anyOf({ check }, { anyOf }, value, path) {
    const problems = [];
    for (const schema of toList(anyOf)) {
      const problem = check(schema, value, path);
      if (problem === null) return null;
      problems.push(problem);
    }
    // The alternative that fits best fails deepest.
    return problems.reduce((best, one) => (one.path.length > best.path.length ? one : best));
  },
  oneOf({ check }, { oneOf }, value, path) {
    const problems = toList(oneOf).map((schema) => check(schema, value, path));
    const fitting = problems.filter((problem) => problem === null).length;
    if (fitting === 1) return null;
    if (fitting > 1)
      return { path, message: "must fit only one of the alternatives of its schema" };
    return problems
      .filter((problem) => problem !== null)
      .reduce((best, one) => (one.path.length > best.path.length ? one : best));
  },
  not: ({ check }, { not }, value, path) =>
    check(not, value, path) === null ? { path, message: "must not be of this form" } : null,
  if({ check }, schema, value, path) {
    const branch = check(schema.if, value, path) === null ? schema.then : schema.else;
    return branch === undefined ? null : check(branch, value, path);
  },
};

function toList(schemas: unknown): unknown[] {
  return Array.isArray(schemas) ? schemas : [];
}

function isOfType(value: unknown, type: unknown): boolean {
  switch (type) {
    case "null":
      return value === null;
    case "array":
      return Array.isArray(value);
    case "object":
      return isJsonObject(value);
    case "integer":
      return isNumber(value) && Number.isInteger(toNumber(value));
    case "number":
      return isNumber(value);
    default:
      return typeof value === type;
  }
}

function isNumber(value: unknown): boolean {
  return typeof value === "number" || typeof value === "bigint" || JSON.isRawJSON(value);
}

function toNumber(value: unknown): number {
  return Number(JSON.isRawJSON(value) ? value.rawJSON : value);
}
