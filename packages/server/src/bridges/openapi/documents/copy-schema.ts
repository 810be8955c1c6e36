import { isJsonObject, type JsonSchema } from "@hub/connector";
import { LeftOut } from "./left-out.ts";
import { copyType, isNullable, toNullable, upgrade } from "./openapi-keywords.ts";
import type { References } from "./references.ts";
import {
  inPlace,
  listOfSchemas,
  oneSchema,
  plainKeywords,
  recordOfSchemas,
} from "./schema-keywords.ts";

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
export function copyOneSchema(copier: Copier, given: unknown, depthAtStart: number): CopiedSchema {
  return new SchemaCopy(copier).copy(given, depthAtStart);
}

/** A copy under way, with what it has cost and what it refers to. */
class SchemaCopy {
  readonly #copier: Copier;
  #chars = 0;
  readonly #refers = new Set<string>();
  readonly #refersInPlace = new Set<string>();

  constructor(copier: Copier) {
    this.#copier = copier;
  }

  copy(given: unknown, depthAtStart: number): CopiedSchema {
    const schema = this.#copySchema(given, depthAtStart, depthAtStart > 0);
    const refersInPlace = this.#refersInPlace;
    return { schema, chars: this.#chars, refers: this.#refers, refersInPlace };
  }

  #spend(count: number): void {
    this.#chars += count;
    if (this.#chars > this.#copier.charsMax) throw new SchemaTooLarge();
  }

  #copySchema(schema: unknown, depth: number, isInPlace: boolean): unknown {
    this.#spend(4);
    if (typeof schema === "boolean") return schema;
    if (!isJsonObject(schema)) return {};
    if (typeof schema.$ref === "string") return this.#copyReference(schema, depth, isInPlace);
    if (this.#copier.detail === "shallow" && depth > 1) return copyType(schema);
    const entries: [string, unknown][] = [];
    for (const [keyword, given] of Object.entries(upgrade(schema))) {
      const copied = this.#copyMember(schema, keyword, given, depth, isInPlace);
      if (copied === undefined) continue;
      this.#spend(keyword.length + 4);
      entries.push([this.#toKeyword(schema, keyword), copied]);
    }
    return toNullable(Object.fromEntries(entries), isNullable(schema));
  }

  /**
   * Documents often use `oneOf` for alternatives that overlap. The API decides about them, so an input
   * is refused only if it fits none.
   */
  #toKeyword(schema: JsonSchema, keyword: string): string {
    const isLoose =
      this.#copier.side === "input" && keyword === "oneOf" && schema.anyOf === undefined;
    return isLoose ? "anyOf" : keyword;
  }

  #copyMember(
    schema: JsonSchema,
    keyword: string,
    given: unknown,
    depth: number,
    isInPlace: boolean,
  ): unknown {
    if (keyword === "properties") return this.#copyProperties(given, depth);
    if (keyword === "items") return this.#copySchema(given, depth + 1, false);
    if (keyword === "additionalProperties" && typeof given === "boolean") return given;
    const staysInPlace = isInPlace && inPlace.has(keyword);
    const inside = inPlace.has(keyword) ? depth : depth + 1;
    if (oneSchema.has(keyword)) return this.#copySchema(given, inside, staysInPlace);
    if (listOfSchemas.has(keyword)) {
      return Array.isArray(given) && given.length > 0
        ? given.map((one) => this.#copySchema(one, inside, staysInPlace))
        : undefined;
    }
    if (recordOfSchemas.has(keyword)) {
      return this.#copyRecord(given, inside, staysInPlace);
    }
    if (keyword === "title" || keyword === "description") return this.#copyText(given, depth);
    if (keyword === "required") return this.#copyRequired(schema, given);
    if (!plainKeywords.has(keyword)) return undefined;
    this.#spend(JSON.stringify(given)?.length ?? 0);
    return given;
  }

  #copyProperties(given: unknown, depth: number): unknown {
    if (!isJsonObject(given)) return undefined;
    const entries: [string, unknown][] = [];
    for (const [name, schema] of Object.entries(given)) {
      if (name === "__proto__" || this.#isOfOtherSide(schema)) continue;
      this.#spend(name.length + 4);
      entries.push([name, this.#copySchema(schema, depth + 1, false)]);
    }
    return Object.fromEntries(entries);
  }

  #copyRecord(given: unknown, depth: number, isInPlace: boolean): unknown {
    if (!isJsonObject(given)) return undefined;
    const entries = Object.entries(given).filter(([name]) => name !== "__proto__");
    return Object.fromEntries(
      entries.map(([name, schema]) => {
        this.#spend(name.length + 4);
        return [name, this.#copySchema(schema, depth, isInPlace)];
      }),
    );
  }

  #copyText(given: unknown, depth: number): string | undefined {
    if (typeof given !== "string") return undefined;
    if (this.#copier.detail !== "full" && depth > 1) return undefined;
    this.#spend(given.length);
    return given;
  }

  #copyRequired(schema: JsonSchema, given: unknown): unknown {
    if (!Array.isArray(given)) return undefined;
    const { properties } = schema;
    const required = given.filter(
      (name) =>
        typeof name === "string" &&
        !(
          isJsonObject(properties) &&
          Object.hasOwn(properties, name) &&
          this.#isOfOtherSide(properties[name])
        ),
    );
    if (required.length === 0) return undefined;
    this.#spend(JSON.stringify(required).length);
    return [...new Set(required)];
  }

  #isOfOtherSide(schema: unknown): boolean {
    return (
      isJsonObject(schema) &&
      schema[this.#copier.side === "input" ? "readOnly" : "writeOnly"] === true
    );
  }

  #copyReference(schema: JsonSchema, depth: number, isInPlace: boolean): unknown {
    const { value, place } = this.#copier.references.find(String(schema.$ref));
    if (typeof value === "boolean") return value;
    if (!isJsonObject(value)) throw new LeftOut("It refers to a schema that is not one.");
    const description = this.#copyText(schema.description, depth);
    if (this.#copier.detail === "shallow" && depth > 0) {
      return toNullable(
        { ...copyType(value), ...(description !== undefined && { description }) },
        isNullable(schema),
      );
    }
    const name = this.#copier.nameDefinition(place);
    this.#refers.add(place);
    if (isInPlace) this.#refersInPlace.add(place);
    this.#spend(name.length + definitionsPath.length);
    return toNullable(
      { $ref: `${definitionsPath}${name}`, ...(description !== undefined && { description }) },
      isNullable(schema),
    );
  }
}
