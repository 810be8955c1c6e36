import { isJsonObject } from "@hub/connector";
import { isJsonEqual } from "./json-equal.ts";
import { resolveReference } from "./resolve-reference.ts";
import { type KeywordCheck, listValues, type Validation } from "./validation.ts";

/** Keywords of all values: types, fixed values, references and combinations of schemas. */
export const combinedKeywords: { [keyword: string]: KeywordCheck } = {
  $ref({ check, root, spend }, { $ref }, value, path) {
    const reference = String($ref);
    spend(Math.ceil(reference.length / referenceCharsPerStep));
    return check(resolveReference(root, reference), value, path);
  },
  type({ spend, spendChars }, { type }, value, path) {
    const types: unknown[] = Array.isArray(type) ? type : [type];
    spend(types.length - 1);
    if (JSON.isRawJSON(value)) spendChars(value.rawJSON.length);
    if (types.some((one) => isOfType(value, one))) return null;
    return { path, message: `must be ${types.map(String).join(" or ")}` };
  },
  enum(validation, { enum: values }, value, path) {
    if (!Array.isArray(values)) return null;
    if (values.some((one) => isJsonEqual(validation, one, value))) return null;
    return { path, message: `must be one of ${writeValues(validation, values)}` };
  },
  const: (validation, { const: only }, value, path) =>
    isJsonEqual(validation, only, value)
      ? null
      : { path, message: `must be ${writeValues(validation, [only])}` },
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

/** Finding the part that a reference names reads each of its characters several times. */
const referenceCharsPerStep = 16;

function writeValues({ spendChars }: Validation, values: readonly unknown[]): string {
  const text = listValues(values);
  spendChars(text.length);
  return text;
}

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
