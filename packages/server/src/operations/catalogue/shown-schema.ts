import { isJsonObject, type JsonSchema, toJsonText } from "@hub/connector";
import { cutParts, cutTextAtCharacter } from "../../lib/json/cut-json.ts";

/** A larger schema is cut to what the issues are about. */
const schemaBytesMax = 4 * 1024;
const namesMax = 50;

type ShownSchema = {
  input_schema: unknown;
  /** Set if the schema is not whole. */
  input_schema_cut?: string;
};

/**
 * The schema of an operation beside the issues of a call. The work is linear in the schema, which has at most 64 KiB
 * if it is from outside.
 */
export function toShownSchema(schema: JsonSchema, issues: unknown): ShownSchema {
  if (Buffer.byteLength(toJsonText(schema)) <= schemaBytesMax) return { input_schema: schema };
  const concerned = pickConcerned(schema, listNames(issues));
  const cut = cutParts(concerned, schemaBytesMax, cutTextAtCharacter);
  return {
    input_schema: cut === null ? concerned : cut.kept,
    input_schema_cut: "Only the inputs of the issues. hub_get returns the whole input_schema.",
  };
}

/** The inputs that issues begin with: the path of one is such as `items[0].name`. */
function listNames(issues: unknown): Set<string> {
  const paths = Array.isArray(issues)
    ? issues.flatMap((issue) => (isJsonObject(issue) ? [String(issue.path)] : []))
    : [];
  return new Set(paths.map((path) => /^[^.[]*/.exec(path)?.[0] ?? ""));
}

function pickConcerned(schema: JsonSchema, names: ReadonlySet<string>): Record<string, unknown> {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const kept = Object.fromEntries(Object.entries(properties).filter(([name]) => names.has(name)));
  const others = Object.keys(properties).filter((name) => !names.has(name));
  return {
    type: "object",
    ...(Array.isArray(schema.required) && { required: schema.required.slice(0, namesMax) }),
    ...(typeof schema.additionalProperties === "boolean" && {
      additionalProperties: schema.additionalProperties,
    }),
    properties: kept,
    // A wrong name is often a misspelt one of these.
    ...(others.length > 0 && { "x-other-inputs": others.slice(0, namesMax) }),
    ...pickDefinitions(schema, kept),
  };
}

/** The definitions to which the inputs refer, directly or by others. */
function pickDefinitions(schema: JsonSchema, kept: unknown): Record<string, unknown> {
  const picked = new Map<string, Map<string, unknown>>();
  const left: unknown[] = [kept];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== "object" || value === null) continue;
    for (const member of Object.values(value)) if (member !== undefined) left.push(member);
    if (!isJsonObject(value)) continue;
    const [, list = "", name = ""] =
      /^#\/(\$defs|definitions)\/([^/]*)$/.exec(typeof value.$ref === "string" ? value.$ref : "") ??
      [];
    const definitions = schema[list];
    if (!isJsonObject(definitions) || !Object.hasOwn(definitions, name)) continue;
    const known = picked.get(list) ?? new Map<string, unknown>();
    if (known.has(name)) continue;
    picked.set(list, known.set(name, definitions[name]));
    left.push(definitions[name]);
  }
  const lists = [...picked].map(([list, known]) => [list, Object.fromEntries(known)]);
  return Object.fromEntries(lists);
}
