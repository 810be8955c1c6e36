import { isJsonObject, type JsonSchema } from "@hub/connector";
import { LeftOut } from "./left-out.ts";
import type { References } from "./references.ts";

/**
 * `terse` leaves out the descriptions and titles inside the schema's members, `shallow` also what is
 * in the members of its members.
 */
export type SchemaDetail = "full" | "terse" | "shallow";

/** Members that only answers have are not part of an input, and the other way round. */
export type SchemaSide = "input" | "output";

/** A copy is larger than its limit. */
export class SchemaTooLarge extends Error {
  override readonly name = "SchemaTooLarge";
}

/** Copies schemas of a document, with the definitions that they reach. */
export type SchemaCopy = {
  copy(schema: unknown): unknown;
  /** The schemas that the copies refer to, by name. Call it after the last copy. Throws LeftOut. */
  takeDefinitions(): Record<string, unknown>;
};

const oneSchema = new Set([
  "additionalProperties",
  "contains",
  "else",
  "if",
  "not",
  "propertyNames",
  "then",
]);
const listOfSchemas = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
const recordOfSchemas = new Set(["dependentSchemas", "patternProperties"]);
/** These apply to the value itself, so a reference from there back to itself would never end. */
const inPlace = new Set([
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
]);

/** Keywords that are copied as they are. The hub checks their values, as of every discovery. */
const plainKeywords = new Set([
  "const",
  "contentEncoding",
  "contentMediaType",
  "default",
  "dependentRequired",
  "deprecated",
  "enum",
  "exclusiveMaximum",
  "exclusiveMinimum",
  "format",
  "maxContains",
  "maxItems",
  "maxLength",
  "maxProperties",
  "maximum",
  "minContains",
  "minItems",
  "minLength",
  "minProperties",
  "minimum",
  "multipleOf",
  "pattern",
  "required",
  "type",
  "uniqueItems",
]);

const definitionsPath = "#/$defs/";

/** A larger definition is never part of a copy. */
const definitionCharsMax = 64 * 1024;

/** A copy of one schema, without the definitions that it refers to. */
type Copied = {
  schema: unknown;
  chars: number;
  /** The places of the definitions that it refers to, and of those that apply to the same value. */
  refers: ReadonlySet<string>;
  refersInPlace: ReadonlySet<string>;
};

/** Opens copies for one side in one detail. All of them share what was copied before. */
export type OpenSchemaCopy = (
  side: SchemaSide,
  detail: SchemaDetail,
  charsMax: number,
) => SchemaCopy;

/**
 * Makes copies of a document's schemas in JSON Schema 2020-12: `$ref` leads to `$defs`, and the
 * words of OpenAPI 3.0, such as `nullable`, are translated or left out. References are kept, because
 * a document without them can be infinite. Each definition is copied once, whatever the number of
 * operations that reach it. The copies throw SchemaTooLarge and LeftOut.
 */
export function createSchemaCopies(references: References): OpenSchemaCopy {
  /** The name of each definition, by its place in the document. */
  const names = new Map<string, string>();
  const taken = new Map<string, number>();
  const copied = new Map<string, Copied | null>();

  function nameDefinition(place: string): string {
    const known = names.get(place);
    if (known !== undefined) return known;
    const last = place.split("/").at(-1) ?? "";
    const wanted = last.replace(/[^\w.-]+/g, "_").slice(0, 100) || "schema";
    const count = (taken.get(wanted) ?? 0) + 1;
    taken.set(wanted, count);
    // The separator is not in other names, so a numbered name is free.
    const name = count === 1 ? wanted : `${wanted}@${count}`;
    names.set(place, name);
    return name;
  }

  function copyDefinition(side: SchemaSide, detail: SchemaDetail, place: string): Copied {
    const key = `${side} ${detail} ${place}`;
    const known = copied.get(key);
    if (known === null) throw new SchemaTooLarge();
    if (known !== undefined) return known;
    try {
      const copier = { references, nameDefinition, side, detail, charsMax: definitionCharsMax };
      const found = copyOne(copier, references.find(place).value, 1);
      copied.set(key, found);
      return found;
    } catch (thrown) {
      if (thrown instanceof SchemaTooLarge) copied.set(key, null);
      throw thrown;
    }
  }

  return (side, detail, charsMax) => {
    let charsLeft = charsMax;
    const waiting = new Set<string>();
    function spend(chars: number): void {
      charsLeft -= chars;
      if (charsLeft < 0) throw new SchemaTooLarge();
    }
    return {
      copy(given) {
        const copier = { references, nameDefinition, side, detail, charsMax: charsLeft };
        const { schema, chars, refers } = copyOne(copier, given, 0);
        spend(chars);
        for (const place of refers) waiting.add(place);
        return schema;
      },
      takeDefinitions() {
        const definitions: [string, unknown][] = [];
        const edges = new Map<string, ReadonlySet<string>>();
        // A set is also walked through what is added meanwhile.
        for (const place of waiting) {
          const { schema, chars, refers, refersInPlace } = copyDefinition(side, detail, place);
          const name = nameDefinition(place);
          spend(chars + name.length + 4);
          definitions.push([name, schema]);
          edges.set(place, refersInPlace);
          for (const next of refers) waiting.add(next);
        }
        checkEnds(edges);
        return Object.fromEntries(definitions);
      },
    };
  };
}

type Copier = {
  references: References;
  nameDefinition(place: string): string;
  side: SchemaSide;
  detail: SchemaDetail;
  charsMax: number;
};

/** Copies one schema. `depthAtStart` is 1 for a definition, whose members are inside another schema. */
function copyOne(
  { references, nameDefinition, side, detail, charsMax }: Copier,
  given: unknown,
  depthAtStart: number,
): Copied {
  let chars = 0;
  const refers = new Set<string>();
  const refersInPlace = new Set<string>();

  function spend(count: number): void {
    chars += count;
    if (chars > charsMax) throw new SchemaTooLarge();
  }

  function copySchema(schema: unknown, depth: number, isInPlace: boolean): unknown {
    spend(4);
    if (typeof schema === "boolean") return schema;
    if (!isJsonObject(schema)) return {};
    if (typeof schema.$ref === "string") return copyReference(schema, depth, isInPlace);
    if (detail === "shallow" && depth > 1) return copyType(schema);
    const entries: [string, unknown][] = [];
    for (const [keyword, given] of Object.entries(upgrade(schema))) {
      const copied = copyMember(schema, keyword, given, depth, isInPlace);
      if (copied === undefined) continue;
      spend(keyword.length + 4);
      entries.push([toKeyword(schema, keyword), copied]);
    }
    return toNullable(Object.fromEntries(entries), schema.nullable === true);
  }

  /**
   * Documents often use `oneOf` for alternatives that overlap. The API decides about them, so an input
   * is refused only if it fits none.
   */
  function toKeyword(schema: JsonSchema, keyword: string): string {
    const isLoose = side === "input" && keyword === "oneOf" && schema.anyOf === undefined;
    return isLoose ? "anyOf" : keyword;
  }

  function copyMember(
    schema: JsonSchema,
    keyword: string,
    given: unknown,
    depth: number,
    isInPlace: boolean,
  ): unknown {
    if (keyword === "properties") return copyProperties(given, depth);
    if (keyword === "items") return copySchema(given, depth + 1, false);
    if (keyword === "additionalProperties" && typeof given === "boolean") return given;
    const staysInPlace = isInPlace && inPlace.has(keyword);
    const inside = inPlace.has(keyword) ? depth : depth + 1;
    if (oneSchema.has(keyword)) return copySchema(given, inside, staysInPlace);
    if (listOfSchemas.has(keyword)) {
      return Array.isArray(given) && given.length > 0
        ? given.map((one) => copySchema(one, inside, staysInPlace))
        : undefined;
    }
    if (recordOfSchemas.has(keyword)) {
      return copyRecord(given, inside, staysInPlace);
    }
    if (keyword === "title" || keyword === "description") return copyText(given, depth);
    if (keyword === "required") return copyRequired(schema, given);
    if (!plainKeywords.has(keyword)) return undefined;
    spend(JSON.stringify(given)?.length ?? 0);
    return given;
  }

  function copyProperties(given: unknown, depth: number): unknown {
    if (!isJsonObject(given)) return undefined;
    const entries: [string, unknown][] = [];
    for (const [name, schema] of Object.entries(given)) {
      if (name === "__proto__" || isOfOtherSide(schema)) continue;
      spend(name.length + 4);
      entries.push([name, copySchema(schema, depth + 1, false)]);
    }
    return Object.fromEntries(entries);
  }

  function copyRecord(given: unknown, depth: number, isInPlace: boolean): unknown {
    if (!isJsonObject(given)) return undefined;
    const entries = Object.entries(given).filter(([name]) => name !== "__proto__");
    return Object.fromEntries(
      entries.map(([name, schema]) => {
        spend(name.length + 4);
        return [name, copySchema(schema, depth, isInPlace)];
      }),
    );
  }

  function copyText(given: unknown, depth: number): string | undefined {
    if (typeof given !== "string") return undefined;
    if (detail !== "full" && depth > 1) return undefined;
    spend(given.length);
    return given;
  }

  function copyRequired(schema: JsonSchema, given: unknown): unknown {
    if (!Array.isArray(given)) return undefined;
    const { properties } = schema;
    const required = given.filter(
      (name) =>
        typeof name === "string" &&
        !(
          isJsonObject(properties) &&
          Object.hasOwn(properties, name) &&
          isOfOtherSide(properties[name])
        ),
    );
    if (required.length === 0) return undefined;
    spend(JSON.stringify(required).length);
    return [...new Set(required)];
  }

  function isOfOtherSide(schema: unknown): boolean {
    return isJsonObject(schema) && schema[side === "input" ? "readOnly" : "writeOnly"] === true;
  }

  function copyReference(schema: JsonSchema, depth: number, isInPlace: boolean): unknown {
    const { value, place } = references.find(String(schema.$ref));
    if (typeof value === "boolean") return value;
    if (!isJsonObject(value)) throw new LeftOut("It refers to a schema that is not one.");
    const description = copyText(schema.description, depth);
    const isNullable = schema.nullable === true;
    if (detail === "shallow" && depth > 0) {
      return toNullable(
        { ...copyType(value), ...(description !== undefined && { description }) },
        isNullable,
      );
    }
    const name = nameDefinition(place);
    refers.add(place);
    if (isInPlace) refersInPlace.add(place);
    spend(name.length + definitionsPath.length);
    return toNullable(
      { $ref: `${definitionsPath}${name}`, ...(description !== undefined && { description }) },
      isNullable,
    );
  }

  const schema = copySchema(given, depthAtStart, depthAtStart > 0);
  return { schema, chars, refers, refersInPlace };
}

/** The words of OpenAPI 3.0 and of older drafts that JSON Schema 2020-12 writes in another way. */
function upgrade(schema: JsonSchema): JsonSchema {
  const { items, minimum, maximum, exclusiveMinimum, exclusiveMaximum, ...others } = schema;
  const isTuple = Array.isArray(items);
  return {
    ...others,
    ...(isTuple ? { prefixItems: items } : items !== undefined && { items }),
    ...toLimit("minimum", "exclusiveMinimum", minimum, exclusiveMinimum),
    ...toLimit("maximum", "exclusiveMaximum", maximum, exclusiveMaximum),
    ...(schema.type === "file" && { type: "string", contentEncoding: "base64" }),
    ...(isBinary(schema) && { contentEncoding: "base64", format: undefined }),
  };
}

function toLimit(
  inclusive: string,
  exclusive: string,
  limit: unknown,
  given: unknown,
): Record<string, unknown> {
  if (given === true) return { [exclusive]: limit };
  return {
    ...(limit !== undefined && { [inclusive]: limit }),
    ...(typeof given === "number" && { [exclusive]: given }),
  };
}

/** Bytes, which JSON has as base64. */
export function isBinary(schema: JsonSchema): boolean {
  return (
    schema.format === "binary" ||
    schema.type === "file" ||
    schema.format === "byte" ||
    schema.format === "base64"
  );
}

/** Only what a value is, without its parts. */
function copyType({ type, properties, items, nullable }: JsonSchema): JsonSchema {
  const found =
    typeof type === "string" && type !== "file"
      ? { type }
      : isJsonObject(properties)
        ? { type: "object" }
        : items === undefined
          ? {}
          : { type: "array" };
  return Array.isArray(type) ? { type } : toNullable(found, nullable === true);
}

function toNullable(schema: JsonSchema, isNullable: boolean): JsonSchema {
  if (!isNullable) return schema;
  const { type, description, enum: values, ...others } = schema;
  if (typeof type === "string") {
    const withNull = Array.isArray(values) && !values.includes(null) ? [...values, null] : values;
    return { ...schema, type: [type, "null"], ...(withNull !== undefined && { enum: withNull }) };
  }
  if (type !== undefined) return schema;
  const rest = { ...others, ...(values !== undefined && { enum: values }) };
  if (Object.keys(rest).length === 0) return schema;
  return { anyOf: [rest, { type: "null" }], ...(description !== undefined && { description }) };
}

/** Attack: a check of a schema that contains itself in place would never end. */
function checkEnds(edges: ReadonlyMap<string, ReadonlySet<string>>): void {
  const done = new Set<string>();
  for (const start of edges.keys()) {
    if (done.has(start)) continue;
    const path = new Set<string>([start]);
    const stack = [{ name: start, next: [...(edges.get(start) ?? [])] }];
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const name = top.next.pop();
      if (name === undefined) {
        done.add(top.name);
        path.delete(top.name);
        stack.pop();
        continue;
      }
      if (path.has(name)) throw new LeftOut("It has a schema that contains itself without an end.");
      if (done.has(name)) continue;
      path.add(name);
      stack.push({ name, next: [...(edges.get(name) ?? [])] });
    }
  }
}
