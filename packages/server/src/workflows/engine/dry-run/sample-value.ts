import type { Json } from "@hub/connector";

const depthMax = 8;
const membersMax = 200;

/**
 * A value that a JSON Schema allows, always the same one. Undefined if the schema does not say enough,
 * such as one without a type, or one that is too deep.
 */
export function sampleValue(schema: unknown): Json | undefined {
  let members = 0;

  function sample(given: unknown, depth: number): Json | undefined {
    members += 1;
    if (depth > depthMax || members > membersMax) return undefined;
    if (typeof given !== "object" || given === null) return undefined;
    // Members are checked where they are read.
    const one = given as Record<string, unknown>;
    const [example] = Array.isArray(one.examples) ? one.examples : [];
    const [choice] = Array.isArray(one.enum) ? one.enum : [];
    for (const value of [one.const, example, one.default, choice]) {
      // A schema is JSON.
      if (value !== undefined) return value as Json;
    }
    for (const list of [one.anyOf, one.oneOf]) {
      for (const part of Array.isArray(list) ? list : []) {
        const value = sample(part, depth + 1);
        if (value !== undefined) return value;
      }
    }
    const type = Array.isArray(one.type) ? one.type[0] : one.type;
    return sampleType(String(type), one, depth);
  }

  function sampleType(type: string, one: Record<string, unknown>, depth: number): Json | undefined {
    if (type === "object") return sampleObject(one, depth);
    if (type === "array") {
      const item = sample(one.items, depth + 1);
      return item === undefined ? undefined : [item];
    }
    if (type === "string") return sampleText(one.format);
    if (type === "integer" || type === "number") {
      return typeof one.minimum === "number" ? one.minimum : 1;
    }
    if (type === "boolean") return true;
    return type === "null" ? null : undefined;
  }

  function sampleObject(one: Record<string, unknown>, depth: number): Json | undefined {
    const required = new Set(Array.isArray(one.required) ? one.required : []);
    const result: Record<string, Json> = {};
    for (const [name, member] of Object.entries(Object(one.properties))) {
      const value = sample(member, depth + 1);
      if (value !== undefined) result[name] = value;
      else if (required.has(name)) return undefined;
    }
    // An object without known members says nothing.
    return Object.keys(result).length === 0 ? undefined : result;
  }

  return sample(schema, 0);
}

const texts: Record<string, string> = {
  "date-time": "2000-01-01T00:00:00Z",
  date: "2000-01-01",
  uri: "https://example.com/",
  email: "ann@example.com",
};

function sampleText(format: unknown): string {
  return (typeof format === "string" ? texts[format] : undefined) ?? "sample";
}
