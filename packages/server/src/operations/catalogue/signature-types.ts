import { isJsonObject, type JsonSchema } from "@hub/connector";
import { resolveReference } from "../../lib/json-schema/resolve-reference.ts";
import { hasMore, hasShape } from "./signature-keywords.ts";
import { toLiteral, toNameText } from "./signature-texts.ts";

/** A part of a signature. It is not exact if the schema says what the text does not. */
export type SignaturePart = { text: string; isExact: boolean };

/** What a text leaves out is written as this. */
export const leftOut = "…";
const unknown: SignaturePart = { text: "any", isExact: false };

/** Schemas that are looked at for one signature, so that its cost does not depend on the schema. */
const schemasMax = 200;
/** Objects are written with their members in so many levels. */
const levelsMax = 2;
const membersMax = 6;
const alternativesMax = 4;
const literalsMax = 9;
/** Of a type with everything inside. */
const typeCharsMax = 100;
/** What is written around a type that is just short enough. */
const aroundCharsMax = 20;
const referenceCharsMax = 500;

/** Writes the types of one schema's inputs. They share the limit on schemas. */
export type TypeWriter = {
  write(schema: unknown): SignaturePart;
};

/** References are resolved in `root`. */
export function createTypeWriter(root: JsonSchema): TypeWriter {
  let schemasLeft = schemasMax;
  /** References may lead to the same members again and again. */
  const namesOf = new Map<JsonSchema, readonly string[]>();

  function write(schema: unknown, level: number): SignaturePart {
    if (schemasLeft <= 0) return unknown;
    schemasLeft -= 1;
    if (schema === false) return { text: "never", isExact: true };
    if (!isJsonObject(schema)) return { text: "any", isExact: true };
    const { text, isExact } = writeKnown(schema, level);
    if (text.length > typeCharsMax + aroundCharsMax) return unknown;
    return { text, isExact: isExact && !hasMore(schema) };
  }

  function writeKnown(schema: JsonSchema, level: number): SignaturePart {
    if (typeof schema.$ref === "string") return writeReference(schema.$ref, schema, level);
    if (Object.hasOwn(schema, "const")) return writeUnion([writeLiteral(schema.const)]);
    if (Array.isArray(schema.enum)) return writeEnum(schema.enum);
    if (Array.isArray(schema.anyOf)) return writeAlternatives(schema.anyOf, schema, level);
    if (Array.isArray(schema.oneOf)) {
      const { text, isExact } = writeAlternatives(schema.oneOf, schema, level);
      return { text, isExact: isExact && areDistinct(schema.oneOf) };
    }
    if (Array.isArray(schema.allOf)) return writeAll(schema.allOf, schema, level);
    if (!Array.isArray(schema.type)) return writeType(schema.type, schema, level);
    const types = schema.type.slice(0, alternativesMax);
    return writeUnion(
      types.map((type) => writeType(type, schema, level)),
      schema.type.length > types.length,
    );
  }

  function writeReference(reference: string, schema: JsonSchema, level: number): SignaturePart {
    if (reference.length > referenceCharsMax) return unknown;
    const { text, isExact } = write(resolveReference(root, reference), level);
    return { text, isExact: isExact && !hasShape(schema) };
  }

  function writeAlternatives(
    alternatives: readonly unknown[],
    schema: JsonSchema,
    level: number,
  ): SignaturePart {
    const shown = alternatives.slice(0, alternativesMax);
    const { text, isExact } = writeUnion(
      shown.map((one) => write(one, level)),
      alternatives.length > shown.length,
    );
    if (text !== "any") return { text, isExact: isExact && !hasShape(schema) };
    return { text: writeType(schema.type, schema, level).text, isExact: false };
  }

  /** All of them hold, so the first one that has a type says the most. */
  function writeAll(all: readonly unknown[], schema: JsonSchema, level: number): SignaturePart {
    const parts = all.slice(0, alternativesMax).map((one) => write(one, level));
    const known = parts.find(({ text }) => text !== "any") ?? writeType(schema.type, schema, level);
    return { text: known.text, isExact: known.isExact && all.length === 1 && !hasShape(schema) };
  }

  function writeType(type: unknown, schema: JsonSchema, level: number): SignaturePart {
    if (type === "array") return writeList(schema, level);
    if (type === "object") return writeObject(schema, level);
    if (type === "string") return { text: toTextType(schema), isExact: true };
    if (typeof type === "string" && plainTypes.has(type)) return { text: type, isExact: true };
    if (isJsonObject(schema.properties)) return writeObject(schema, level);
    return { text: "any", isExact: type === undefined && !hasShape(schema) };
  }

  function writeList({ items }: JsonSchema, level: number): SignaturePart {
    const { text, isExact } =
      items === undefined ? { text: "any", isExact: true } : write(items, level);
    return { text: /[|]/.test(text) ? `(${text})[]` : `${text}[]`, isExact };
  }

  function writeObject(schema: JsonSchema, level: number): SignaturePart {
    const { properties, required, additionalProperties: others } = schema;
    if (!isJsonObject(properties)) return writeRecord(schema, level);
    const names = listNames(properties);
    if (names.length === 0) return writeRecord(schema, level);
    const cut = { text: `{${leftOut}}`, isExact: false };
    if (level >= levelsMax || names.length > membersMax) return cut;
    const needed: readonly unknown[] = Array.isArray(required) ? required : [];
    const members: string[] = [];
    let isExact = !isJsonObject(others) && needed.length <= membersMax;
    for (const name of names) {
      const text = toNameText(name);
      if (text === null) return cut;
      const isNeeded = needed.slice(0, membersMax).some((one) => one === name);
      const type = write(properties[name], level + 1);
      members.push(`${text}${isNeeded ? "" : "?"}: ${type.text}`);
      isExact &&= type.isExact;
    }
    const text = `{${members.join(", ")}}`;
    return text.length > typeCharsMax ? cut : { text, isExact };
  }

  function listNames(properties: JsonSchema): readonly string[] {
    const names = namesOf.get(properties) ?? Object.keys(properties);
    namesOf.set(properties, names);
    return names;
  }

  function writeRecord(schema: JsonSchema, level: number): SignaturePart {
    const { additionalProperties: others, required } = schema;
    const isExact = !Array.isArray(required) || required.length === 0;
    if (!isJsonObject(others)) return { text: "object", isExact };
    if (level >= levelsMax) return { text: "object", isExact: false };
    const values = write(others, level + 1);
    return { text: `Record<string, ${values.text}>`, isExact: isExact && values.isExact };
  }

  return { write: (schema) => write(schema, 0) };
}

const plainTypes = new Set(["boolean", "integer", "null", "number"]);

/** Formats that the hub knows. Others may be any text. */
const formats = new Set([
  "binary",
  "byte",
  "date",
  "date-time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "time",
  "uri",
  "uuid",
]);

function toTextType({ format, contentEncoding }: JsonSchema): string {
  if (contentEncoding === "base64") return "string<base64>";
  return typeof format === "string" && formats.has(format) ? `string<${format}>` : "string";
}

function writeEnum(values: readonly unknown[]): SignaturePart {
  const shown = values.slice(0, literalsMax).map(writeLiteral);
  return writeUnion(shown, values.length > shown.length);
}

function writeLiteral(value: unknown): SignaturePart {
  const text = toLiteral(value);
  return text === null ? { text: leftOut, isExact: false } : { text, isExact: true };
}

/** Alternatives, each once, as many as fit. */
function writeUnion(parts: readonly SignaturePart[], isCut = false): SignaturePart {
  let text = "";
  let isExact = !isCut;
  const seen = new Set<string>();
  for (const part of parts) {
    isExact &&= part.isExact;
    if (seen.has(part.text)) continue;
    seen.add(part.text);
    if (text !== "" && text.length + part.text.length > typeCharsMax) {
      return { text: `${text}|${leftOut}`, isExact: false };
    }
    text = text === "" ? part.text : `${text}|${part.text}`;
  }
  if (text === "" || text === leftOut) return unknown;
  return { text: isCut ? `${text}|${leftOut}` : text, isExact };
}

/** Whether a value fits one of them at most, as far as their types say. */
function areDistinct(alternatives: readonly unknown[]): boolean {
  const types = alternatives
    .slice(0, alternativesMax)
    .map((one) => (isJsonObject(one) && typeof one.type === "string" ? one.type : null));
  const different = new Set(types.map((type) => (type === "integer" ? "number" : type)));
  return !different.has(null) && different.size === types.length;
}
