import { isJsonObject, type JsonSchema } from "@hub/connector";
import { LeftOut } from "./left-out.ts";
import { copyType, isNullable, toNullable, upgrade } from "./openapi-keywords.ts";
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

/** A copy of one schema, without the definitions that it refers to. */
export type CopiedSchema = {
  schema: unknown;
  chars: number;
  /** The places of the definitions that it refers to, and of those that apply to the same value. */
  refers: ReadonlySet<string>;
  refersInPlace: ReadonlySet<string>;
};

export type Copier = {
  references: References;
  nameDefinition(place: string): string;
  side: SchemaSide;
  detail: SchemaDetail;
  charsMax: number;
};

/** Copies one schema. `depthAtStart` is 1 for a definition, whose members are inside another schema. */
export function copyOneSchema(
  { references, nameDefinition, side, detail, charsMax }: Copier,
  given: unknown,
  depthAtStart: number,
): CopiedSchema {
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
    return toNullable(Object.fromEntries(entries), isNullable(schema));
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
    if (detail === "shallow" && depth > 0) {
      return toNullable(
        { ...copyType(value), ...(description !== undefined && { description }) },
        isNullable(schema),
      );
    }
    const name = nameDefinition(place);
    refers.add(place);
    if (isInPlace) refersInPlace.add(place);
    spend(name.length + definitionsPath.length);
    return toNullable(
      { $ref: `${definitionsPath}${name}`, ...(description !== undefined && { description }) },
      isNullable(schema),
    );
  }

  const schema = copySchema(given, depthAtStart, depthAtStart > 0);
  return { schema, chars, refers, refersInPlace };
}
