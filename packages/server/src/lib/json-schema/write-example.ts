import { isJsonObject, type JsonSchema } from "@hub/connector";
import { allTypes, findAcceptedTypes, hasType } from "./accepted-types.ts";
import { type PartDeps, toItemSchemas, toMemberSchema } from "./part-schemas.ts";
import { resolveReference } from "./resolve-reference.ts";
import { toList } from "./validation.ts";

const membersMax = 3;
const depthMax = 2;
const charsMax = 120;

/** A short value that fits a schema in its form, as JSON text; null if there is no short one. */
export function writeExample(
  root: JsonSchema,
  spend: (steps: number) => void,
  schema: unknown,
): string | null {
  const typesOf = (one: unknown) => findAcceptedTypes(root, spend, one);
  const text = JSON.stringify(toExample({ root, spend, typesOf }, schema, 0));
  return text.length <= charsMax ? text : null;
}

function toExample(deps: PartDeps, schema: unknown, depth: number): unknown {
  const fixed = findFixed(schema);
  if (fixed !== undefined) return fixed;
  const types = deps.typesOf(schema);
  if (types === allTypes) return "…";
  if (hasType(types, "object")) {
    if (depth >= depthMax) return {};
    const names = listNames(deps, schema).slice(0, membersMax);
    return Object.fromEntries(
      names.map((name) => [name, toExample(deps, toMemberSchema(deps, schema, name), depth + 1)]),
    );
  }
  if (hasType(types, "array")) {
    return depth >= depthMax ? [] : [toExample(deps, toItemSchemas(deps, schema)(0), depth + 1)];
  }
  if (hasType(types, "string")) return "…";
  if (hasType(types, "number")) return 1;
  return hasType(types, "boolean") ? true : null;
}

/** A short value that the schema itself names. */
function findFixed(schema: unknown): unknown {
  if (!isJsonObject(schema)) return undefined;
  const { const: only, enum: values, default: seed, examples } = schema;
  const [first] = [only, ...toList(examples), seed, ...toList(values)].filter(
    (one) => one !== undefined && one !== null,
  );
  return first !== undefined && JSON.stringify(first).length <= charsMax / 2 ? first : undefined;
}

/** The required members, or else those that the schema names. */
function listNames({ root }: PartDeps, schema: unknown): string[] {
  const whole = isJsonObject(schema) ? schema : {};
  const { $ref, anyOf, oneOf, allOf } = whole;
  const parts = [
    whole,
    typeof $ref === "string" ? resolveReference(root, $ref) : undefined,
    toList(anyOf)[0],
    toList(oneOf)[0],
    ...toList(allOf),
  ].filter(isJsonObject);
  const required = parts.flatMap((part) => toList(part.required)).filter(isText);
  if (required.length > 0) return required;
  return parts.flatMap(({ properties }) =>
    isJsonObject(properties) ? Object.keys(properties) : [],
  );
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
