/** A value that is not known yet, with its type. */
export class UnknownValue {
  readonly type: string;

  constructor(type: string) {
    this.type = type;
  }
}

const levelsMax = 8;
const membersMax = 200;

type Schema = Readonly<Record<string, unknown>>;

/**
 * What a value of a JSON Schema looks like: its members, one item of each list, and types instead of values.
 * Undefined for a schema that says nothing.
 */
export function toShape(schema: unknown): unknown {
  return readShape(Object(schema), Object(schema), 0);
}

function readShape(root: Schema, given: Schema, level: number): unknown {
  const schema = followReference(root, given);
  const [of] = [schema.oneOf, schema.anyOf, schema.allOf].flatMap((list) =>
    Array.isArray(list) ? [list] : [],
  );
  if (schema.type === undefined && schema.properties === undefined && of !== undefined) {
    const first = of.find((one) => Object(one).type !== "null");
    return level < levelsMax ? readShape(root, Object(first), level + 1) : undefined;
  }
  const [type] = [schema.type].flat().filter((one) => one !== "null");
  if (schema.properties !== undefined || type === "object") {
    if (level >= levelsMax) return new UnknownValue("object");
    const members = Object.entries(Object(schema.properties)).slice(0, membersMax);
    return Object.fromEntries(
      members.map(([name, one]) => [name, readShape(root, Object(one), level + 1)]),
    );
  }
  if (type === "array") {
    if (level >= levelsMax) return new UnknownValue("list");
    return [readShape(root, Object(schema.items), level + 1)];
  }
  if (typeof type !== "string") return level === 0 ? undefined : new UnknownValue("any value");
  return new UnknownValue(typeNames[type] ?? type);
}

const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  integer: "number",
  number: "number",
  boolean: "true or false",
};

/** A reference within the schema. Others say nothing here. */
function followReference(root: Schema, schema: Schema): Schema {
  const reference = schema.$ref;
  if (typeof reference !== "string" || !reference.startsWith("#/")) return schema;
  let found: unknown = root;
  for (const name of reference.slice(2).split("/")) {
    found = Object(found)[name.replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  // One that refers to another one is not followed twice.
  return { ...Object(found), $ref: undefined };
}

/** The shape of an example: its members and the types of its values. */
export function toShapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(toShapeOf);
  if (typeof value === "string") return new UnknownValue("text");
  if (typeof value !== "object" || value === null) return new UnknownValue(typeof value);
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, toShapeOf(one)]));
}
