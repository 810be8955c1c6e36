import { isJsonObject, type JsonSchema } from "@hub/connector";

type Random = { depth: number };

/** Params that fit an input schema: every required one, and every other one that is not an object. */
export function sampleParams(schema: JsonSchema): Record<string, unknown> {
  const value = sample(schema, schema, { depth: 0 });
  return isJsonObject(value) ? value : {};
}

const depthMax = 6;

function sample(root: JsonSchema, given: unknown, at: Random): unknown {
  const schema = follow(root, given);
  const { type, enum: values, default: fallback, format, properties, items } = schema;
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(values)) return values.find((value) => value !== null);
  if (fallback !== undefined && fallback !== null) return fallback;
  const next = { depth: at.depth + 1 };
  for (const keyword of ["oneOf", "anyOf"]) {
    const options = schema[keyword];
    if (Array.isArray(options) && options.length > 0) return sample(root, options[0], next);
  }
  if (Array.isArray(schema.allOf)) {
    const parts = schema.allOf.map((one) => sample(root, one, next));
    return parts.every(isJsonObject) ? Object.assign({}, ...parts) : parts[0];
  }
  const name = Array.isArray(type) ? type.find((one) => one !== "null") : type;
  if (name === "object" || isJsonObject(properties)) return sampleObject(root, schema, next);
  if (name === "array") {
    const least = typeof schema.minItems === "number" ? schema.minItems : 1;
    return Array.from({ length: Math.max(1, least) }, () => sample(root, items ?? {}, next));
  }
  if (name === "integer" || name === "number") return sampleNumber(schema);
  if (name === "boolean") return true;
  return sampleText(schema, format);
}

function sampleObject(root: JsonSchema, schema: JsonSchema, at: Random): unknown {
  const { properties, required } = schema;
  const needed = new Set(Array.isArray(required) ? required : []);
  const members = Object.entries(isJsonObject(properties) ? properties : {});
  const wanted = members.filter(([name]) => needed.has(name) || at.depth < depthMax);
  const { additionalProperties: others = {} } = schema;
  if (members.length === 0) {
    const isEmpty = others === false || at.depth >= depthMax;
    return isEmpty ? {} : { sample: isJsonObject(others) ? sample(root, others, at) : "x" };
  }
  // Documents also require members that they do not describe.
  const undescribed = [...needed].filter((one) => !members.some(([other]) => other === one));
  return Object.fromEntries([
    ...undescribed.map((one) => [one, "x"]),
    ...wanted.flatMap(([name, one]) => {
      if (at.depth >= depthMax + 4) return [];
      return [[name, sample(root, one, at)]];
    }),
  ]);
}

function sampleNumber({ minimum, maximum, exclusiveMinimum, multipleOf }: JsonSchema): number {
  if (typeof multipleOf === "number") return multipleOf;
  if (typeof minimum === "number") return Math.ceil(minimum);
  if (typeof exclusiveMinimum === "number") return Math.floor(exclusiveMinimum) + 1;
  return typeof maximum === "number" ? Math.min(1, Math.floor(maximum)) : 1;
}

const texts: Record<string, string> = {
  date: "2026-11-20",
  "date-time": "2026-11-20T09:30:00Z",
  email: "ada@example.com",
  uri: "https://example.com/",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
  ipv4: "192.0.2.1",
  byte: "AAEC",
};

function sampleText({ minLength, maxLength, contentEncoding }: JsonSchema, format: unknown) {
  if (contentEncoding === "base64") return "AAEC";
  const text = texts[String(format)] ?? "a b";
  const least = typeof minLength === "number" ? text.padEnd(minLength, "x") : text;
  return typeof maxLength === "number" ? least.slice(0, maxLength) : least;
}

function follow(root: JsonSchema, given: unknown): JsonSchema {
  if (!isJsonObject(given)) return {};
  if (typeof given.$ref !== "string") return given;
  const name = given.$ref.slice("#/$defs/".length);
  const definitions = isJsonObject(root.$defs) ? root.$defs : {};
  return isJsonObject(definitions[name]) ? definitions[name] : {};
}
