import { isJsonObject, type JsonSchema } from "@hub/connector";
import { resolveReference } from "./resolve-reference.ts";

/** References and combinations that lead to each other are not followed further. */
const levelsMax = 20;

type Choose = (schema: JsonSchema) => readonly unknown[];

/** A schema that the member of an object must fit, from all parts of the object's schema; true if there is none. */
export function toMemberSchema(
  root: JsonSchema,
  spend: (steps: number) => void,
  schema: unknown,
  name: string,
): unknown {
  return join(root, spend, schema, ({ properties, patternProperties, additionalProperties }) => {
    if (isJsonObject(properties) && Object.hasOwn(properties, name)) return [properties[name]];
    return isJsonObject(patternProperties) || additionalProperties === undefined
      ? []
      : [additionalProperties];
  });
}

/** The same for an item of a list. */
export function toItemSchema(
  root: JsonSchema,
  spend: (steps: number) => void,
  schema: unknown,
  index: number,
): unknown {
  return join(root, spend, schema, ({ prefixItems, items }) => {
    if (Array.isArray(prefixItems) && index < prefixItems.length) return [prefixItems[index]];
    return items === undefined ? [] : [items];
  });
}

/** The parts that `choose` finds in a schema, in its references, and in what it combines. */
function join(
  root: JsonSchema,
  spend: (steps: number) => void,
  schema: unknown,
  choose: Choose,
  level = 0,
): unknown {
  spend(1);
  if (!isJsonObject(schema) || level > levelsMax) return true;
  const inner = (one: unknown) => join(root, spend, one, choose, level + 1);
  const parts = [...choose(schema)];
  if (typeof schema.$ref === "string") parts.push(inner(resolveReference(root, schema.$ref)));
  if (Array.isArray(schema.allOf)) parts.push(...schema.allOf.map(inner));
  for (const alternatives of [schema.anyOf, schema.oneOf]) {
    if (Array.isArray(alternatives)) parts.push(toEither(alternatives.map(inner)));
  }
  const real = parts.filter((part) => part !== true);
  if (real.length === 0) return true;
  return real.length === 1 ? real[0] : { allOf: real };
}

/** If one alternative says nothing about the part, it may be anything. */
function toEither(alternatives: readonly unknown[]): unknown {
  return alternatives.includes(true) ? true : { anyOf: alternatives };
}
