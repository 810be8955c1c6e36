import { isJsonObject } from "@hub/connector";
import { chooseAlternative, mustBe } from "./choose-alternative.ts";
import { isJsonEqual } from "./json-equal.ts";
import { resolveReference } from "./resolve-reference.ts";
import { type KeywordCheck, listValues, toList, type Validation } from "./validation.ts";

/** Keywords of all values: types, fixed values, references and combinations of schemas. */
export const combinedKeywords: { [keyword: string]: KeywordCheck } = {
  $ref({ check, root, spend }, { $ref }, value, path) {
    const reference = String($ref);
    spend(Math.ceil(reference.length / referenceCharsPerStep));
    return check(resolveReference(root, reference), value, path);
  },
  type({ spend, spendChars }, schema, value, path) {
    const { type } = schema;
    const types: unknown[] = Array.isArray(type) ? type : [type];
    spend(types.length - 1);
    if (JSON.isRawJSON(value)) spendChars(value.rawJSON.length);
    if (types.some((one) => isOfType(value, one))) return null;
    const message = `${mustBe}${types.map(String).join(" or ")}`;
    return { path, message, refusedBy: schema };
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
  anyOf(validation, { anyOf }, value, path) {
    const refused = [];
    for (const schema of toList(anyOf)) {
      const problem = validation.check(schema, value, path);
      if (problem === null) return null;
      refused.push({ schema, problem });
    }
    return chooseAlternative(validation, value, path, refused);
  },
  oneOf(validation, { oneOf }, value, path) {
    const schemas = toList(oneOf);
    const refused = schemas.flatMap((schema) => {
      const problem = validation.check(schema, value, path);
      return problem === null ? [] : [{ schema, problem }];
    });
    const fitting = schemas.length - refused.length;
    if (fitting === 1) return null;
    if (fitting > 1)
      return { path, message: "must fit only one of the alternatives of its schema" };
    return chooseAlternative(validation, value, path, refused);
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
