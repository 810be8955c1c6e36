import {
  type CopiedSchema,
  copyOneSchema,
  type SchemaDetail,
  type SchemaSide,
  SchemaTooLarge,
} from "./copy-schema.ts";
import { LeftOut } from "./left-out.ts";
import type { References } from "./references.ts";

/** Copies schemas of a document, with the definitions that they reach. */
export type SchemaCopy = {
  copy(schema: unknown): unknown;
  /** The schemas that the copies refer to, by name. Call it after the last copy. Throws LeftOut. */
  takeDefinitions(): Record<string, unknown>;
};

/** A larger definition is never part of a copy. */
const definitionCharsMax = 64 * 1024;

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
  const copied = new Map<string, CopiedSchema | null>();

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

  function copyDefinition(side: SchemaSide, detail: SchemaDetail, place: string): CopiedSchema {
    const key = `${side} ${detail} ${place}`;
    const known = copied.get(key);
    if (known === null) throw new SchemaTooLarge();
    if (known !== undefined) return known;
    try {
      const copier = { references, nameDefinition, side, detail, charsMax: definitionCharsMax };
      const found = copyOneSchema(copier, references.find(place).value, 1);
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
        const { schema, chars, refers } = copyOneSchema(copier, given, 0);
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
