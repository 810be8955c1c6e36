import { isJsonObject } from "@hub/connector";
import { LeftOut } from "./left-out.ts";

type Part = Record<string, unknown>;

/** The parts of a document, found by `$ref`. Nothing is read from elsewhere. */
export type References = {
  /** The object itself, or the one that it refers to. Throws LeftOut. */
  resolve(value: unknown): Part;
  /** The value at a reference, and the reference at which it is in the end. Throws LeftOut. */
  find(reference: string): { value: unknown; place: string };
};

/** References to references. */
const hopsMax = 32;

export function createReferences(document: Part): References {
  const found = new Map<string, { value: unknown; place: string }>();

  function find(reference: string): { value: unknown; place: string } {
    const known = found.get(reference);
    if (known !== undefined) return known;
    let place = reference;
    for (let hops = 0; hops < hopsMax; hops += 1) {
      const value = findPart(document, place);
      const next = isJsonObject(value) ? value.$ref : undefined;
      if (typeof next !== "string") {
        const result = { value, place };
        found.set(reference, result);
        return result;
      }
      place = next;
    }
    throw new LeftOut("It has a reference that leads back to itself.");
  }

  return {
    find,
    resolve(value) {
      const reference = isJsonObject(value) ? value.$ref : undefined;
      const part = typeof reference === "string" ? find(reference).value : value;
      if (isJsonObject(part)) return part;
      throw new LeftOut("It refers to a part that the document does not have.");
    },
  };
}

/** The item of a path. What stands beside its reference counts, too. Throws LeftOut. */
export function resolveItem(references: References, given: unknown): Part {
  const item = references.resolve(given);
  if (!isJsonObject(given) || given === item) return item;
  const { $ref: _reference, ...own } = given;
  return { ...item, ...own };
}

function findPart(document: Part, reference: string): unknown {
  if (!reference.startsWith("#")) {
    throw new LeftOut(
      "It refers to another document, which is not read. Give a document that contains everything.",
    );
  }
  if (reference !== "#" && !reference.startsWith("#/")) {
    throw new LeftOut("It refers to an anchor. Only references by path, such as #/a/b, are read.");
  }
  let part: unknown = document;
  for (const name of reference.split("/").slice(1)) {
    const key = decodePointer(name);
    if (typeof part !== "object" || part === null || !Object.hasOwn(part, key)) {
      throw new LeftOut("It refers to a part that the document does not have.");
    }
    // Safe: an object or an array has this member.
    part = (part as Record<string, unknown>)[key];
  }
  return part;
}

function decodePointer(name: string): string {
  let decoded = name;
  try {
    decoded = decodeURIComponent(name);
  } catch {
    // A name with a plain "%".
  }
  return decoded.replaceAll("~1", "/").replaceAll("~0", "~");
}
