import { isJsonObject, type JsonSchema } from "@hub/connector";
import { hasMore, isComposed } from "./signature-keywords.ts";
import { toLiteral, toNameText } from "./signature-texts.ts";
import {
  createTypeWriter,
  leftOut,
  type SignaturePart,
  type TypeWriter,
} from "./signature-types.ts";

/** The inputs of an operation in one line, for models. */
export type Signature = {
  /** Such as `(owner: string, repo: string, state?: "open"|"closed" = "open", …2 more)`. */
  text: string;
  /** Whether the schema of the inputs has no other rule for those that are shown. */
  isExact: boolean;
};

/** No signature has more characters, whatever the schema is. */
export const signatureCharsMax = 640;
/** Required inputs are shown up to this length; the end of the line comes after them. */
const requiredCharsMax = 590;
/** Other inputs are shown as long as the line is not longer. */
const optionalCharsMax = 180;

/**
 * Writes the inputs of a schema in one line, the required ones first. Names and values from outside are
 * identifiers or JSON text. Of the inputs that are not required, the shared ones are only counted, unless there is no
 * other. Beside one pass over the names, it looks at a fixed number of schemas at most.
 */
export function toSignature(schema: JsonSchema, shared: ReadonlySet<string> = noInputs): Signature {
  const properties = isJsonObject(schema.properties) ? schema.properties : {};
  const { required, optional } = listInputs(schema, properties);
  if (required.length + optional.length === 0 && isComposed(schema)) {
    return { text: `(${leftOut})`, isExact: false };
  }
  const writer = createTypeWriter(schema);
  const line = new Line();
  const find = (name: string) => (Object.hasOwn(properties, name) ? properties[name] : undefined);
  const shownRequired = line.addAll(required, requiredCharsMax, (name) =>
    writeInput(writer, name, "", find(name)),
  );
  const own = optional.filter((name) => !shared.has(name));
  const told = required.length + own.length === 0 ? optional : own;
  const shownOptional = line.addAll(told, optionalCharsMax, (name) =>
    writeInput(writer, name, "?", find(name)),
  );
  const hiddenRequired = required.length - shownRequired;
  const hidden = optional.length - shownOptional;
  if (hiddenRequired > 0) line.parts.push(`${leftOut}${hiddenRequired} more required`);
  if (hidden > 0) line.parts.push(`${leftOut}${hidden} more`);
  return {
    text: `(${line.parts.join(", ")})`,
    isExact:
      line.isExact &&
      hiddenRequired === 0 &&
      !hasMore(schema) &&
      !isComposed(schema) &&
      !isJsonObject(schema.additionalProperties),
  };
}

const noInputs: ReadonlySet<string> = new Set();

/** The names of the inputs. A required one may have no schema. */
function listInputs({ required }: JsonSchema, properties: JsonSchema) {
  const needed = new Set(Array.isArray(required) ? required : []);
  const names = Object.keys(properties);
  const known = names.filter((name) => needed.has(name));
  for (const name of known) needed.delete(name);
  const others = [...needed].filter((name) => typeof name === "string");
  const shown = new Set(known);
  return {
    required: [...known, ...others],
    optional: names.filter((name) => !shown.has(name)),
  };
}

/** Null if the name is too long to be shown. */
function writeInput(
  writer: TypeWriter,
  name: string,
  mark: "" | "?",
  schema: unknown,
): SignaturePart | null {
  const text = toNameText(name);
  if (text === null) return null;
  const type = writer.write(schema);
  const seed = isJsonObject(schema) ? (schema.default ?? null) : null;
  const literal = seed === null ? null : toLiteral(seed);
  return {
    text: `${text}${mark}: ${type.text}${literal === null ? "" : ` = ${literal}`}`,
    isExact: type.isExact,
  };
}

/** A line that grows until it is full. */
class Line {
  readonly parts: string[] = [];
  isExact = true;
  #chars = 0;

  /** Adds inputs in their order until one does not fit. Returns the number of those that were added. */
  addAll(
    names: readonly string[],
    charsMax: number,
    write: (name: string) => SignaturePart | null,
  ): number {
    let added = 0;
    for (const name of names) {
      if (this.#chars >= charsMax) break;
      const part = write(name);
      if (part === null) continue;
      const chars = this.#chars + part.text.length + 2;
      if (chars > charsMax) break;
      this.#chars = chars;
      this.parts.push(part.text);
      this.isExact &&= part.isExact;
      added += 1;
    }
    return added;
  }
}
