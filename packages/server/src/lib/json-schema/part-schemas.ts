import { isJsonObject, type JsonSchema } from "@hub/connector";
import { hasType, type JsonType, levelsMax, type TypeSet } from "./accepted-types.ts";
import { resolveReference } from "./resolve-reference.ts";

export type PartDeps = {
  root: JsonSchema;
  spend(steps: number): void;
  typesOf(schema: unknown): TypeSet;
};

/** The schema that a member of an object must fit, by all parts of the object's schema; true if they say nothing. */
export function toMemberSchema(deps: PartDeps, schema: unknown, name: string): unknown {
  if (isJsonObject(schema) && !isCombined(schema)) return findMember(schema, name) ?? true;
  return join(deps, "object", schema, (part) => findMember(part, name));
}

function findMember(
  { properties, patternProperties, additionalProperties }: JsonSchema,
  name: string,
): unknown {
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) return properties[name];
  return isJsonObject(patternProperties) ? undefined : additionalProperties;
}

/** Most schemas are not, and then need no search. */
function isCombined({ $ref, allOf, anyOf, oneOf }: JsonSchema): boolean {
  return $ref !== undefined || allOf !== undefined || anyOf !== undefined || oneOf !== undefined;
}

/** The same for the items of a list, by their index. */
export function toItemSchemas(deps: PartDeps, schema: unknown): (index: number) => unknown {
  let prefixes = 0;
  const rest = join(deps, "array", schema, ({ prefixItems, items }) => {
    if (Array.isArray(prefixItems)) prefixes = Math.max(prefixes, prefixItems.length);
    return items;
  });
  return (index) => {
    if (index >= prefixes) return rest;
    return join(deps, "array", schema, ({ prefixItems, items }) =>
      Array.isArray(prefixItems) && index < prefixItems.length ? prefixItems[index] : items,
    );
  };
}

/** The parts that `choose` finds in a schema, in what it refers to, and in what it combines for values of the type. */
function join(
  deps: PartDeps,
  type: JsonType,
  schema: unknown,
  choose: (schema: JsonSchema) => unknown,
  level = 0,
): unknown {
  const { root, spend, typesOf } = deps;
  spend(1);
  if (!isJsonObject(schema) || level > levelsMax) return true;
  const joinInner = (one: unknown) => join(deps, type, one, choose, level + 1);
  const parts = [choose(schema)];
  if (typeof schema.$ref === "string")
    parts.push(joinInner(resolveReference(root, schema.$ref, spend)));
  if (Array.isArray(schema.allOf)) parts.push(...schema.allOf.map(joinInner));
  for (const alternatives of [schema.anyOf, schema.oneOf]) {
    if (!Array.isArray(alternatives)) continue;
    // The others do not accept the value, whatever its parts are.
    const possible = alternatives.filter((one) => hasType(typesOf(one), type)).map(joinInner);
    if (!possible.includes(true)) parts.push({ anyOf: possible });
  }
  const real = parts.filter((part) => part !== undefined && part !== true);
  if (real.length === 0) return true;
  return real.length === 1 ? real[0] : { allOf: real };
}
