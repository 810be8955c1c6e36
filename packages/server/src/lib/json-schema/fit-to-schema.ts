import {
  findNumberText,
  type Issue,
  isJsonObject,
  type JsonSchema,
  parseJson,
} from "@hub/connector";
import type { JsonInTextReader } from "../json/json-in-text.ts";
import { findAcceptedTypes, hasType, type TypeSet, toJsonType } from "./accepted-types.ts";
import { type PartDeps, toItemSchemas, toMemberSchema } from "./part-schemas.ts";
import { joinPath } from "./validation.ts";

/** The schemas that one fitting looks at, at most some 60 ms. A value that costs more is left to the check. */
const stepsMax = 100_000;

/** Of a text that is parsed, which may fail, and be within another one. */
const textSteps = 40;
const charsOfStep = 200;

class TooManySteps extends Error {}

type Fitting = PartDeps & {
  reader: JsonInTextReader;
  memberOf(schema: unknown, name: string): unknown;
  issues: Issue[];
};

/** The position of a value: a name or an index in another position. `depth`: the levels of the message around it. */
type Position = { within: Position | null; key: string | number; depth: number };

/**
 * Rewrites what models write in another type than a schema takes: an object or a list as JSON text, a number or a
 * boolean as text, and a text as a number or a boolean. A value is rewritten only where the schema refuses its type in
 * any case. So a text stays a text wherever a text may be. The issues are texts that are too large to be parsed.
 */
export function fitToSchema(
  root: JsonSchema,
  reader: JsonInTextReader,
  { value, depth }: { value: unknown; depth: number },
): { value: unknown; issues: readonly Issue[] } {
  const fitting = createFitting(root, reader);
  try {
    const position = { within: null, key: "", depth };
    return { value: fit(fitting, root, value, position), issues: fitting.issues };
  } catch (thrown) {
    // References may lead in a circle, and alternatives multiply.
    if (!(thrown instanceof TooManySteps) && !(thrown instanceof RangeError)) throw thrown;
    return { value, issues: [] };
  }
}

function createFitting(root: JsonSchema, reader: JsonInTextReader): Fitting {
  let steps = 0;
  const spend = (count: number) => {
    steps += count;
    if (steps > stepsMax) throw new TooManySteps();
  };
  const types = new Map<unknown, TypeSet>();
  const members = new Map<unknown, Map<string, unknown>>();
  const fitting: Fitting = {
    root,
    spend,
    reader,
    issues: [],
    typesOf(schema) {
      spend(1);
      const found = types.get(schema) ?? findAcceptedTypes(root, spend, schema);
      types.set(schema, found);
      return found;
    },
    memberOf(schema, name) {
      spend(1);
      const known = members.get(schema) ?? new Map<string, unknown>();
      members.set(schema, known);
      if (!known.has(name)) known.set(name, toMemberSchema(fitting, schema, name));
      return known.get(name);
    },
  };
  return fitting;
}

function fit(fitting: Fitting, schema: unknown, value: unknown, position: Position): unknown {
  const types = fitting.typesOf(schema);
  const type = toJsonType(value);
  if (!hasType(types, type)) return fitType(fitting, { schema, types, value, position });
  if (Array.isArray(value)) return fitItems(fitting, schema, value, position);
  return isJsonObject(value) ? fitMembers(fitting, schema, value, position) : value;
}

/** A value of a type that the schema refuses. */
type Refused = { schema: unknown; types: TypeSet; value: unknown; position: Position };

function fitType(fitting: Fitting, refused: Refused): unknown {
  const { types, value } = refused;
  if (typeof value === "string") return fitText(fitting, refused, value);
  if (!hasType(types, "string")) return value;
  return typeof value === "boolean" ? String(value) : (findNumberText(value) ?? value);
}

/** A longer text is no number or boolean that a model wrote. */
const wordCharsMax = 400;
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function fitText(fitting: Fitting, { schema, types, position }: Refused, text: string): unknown {
  if (hasType(types, "object") || hasType(types, "array")) {
    fitting.spend(textSteps + Math.floor(text.length / charsOfStep));
    const read = fitting.reader.read(text, position.depth);
    if (read !== null && "problem" in read) {
      fitting.issues.push({ path: toPath(position), message: read.problem });
    } else if (read !== null && hasType(types, toJsonType(read.value))) {
      return fit(fitting, schema, read.value, position);
    }
  }
  const word = text.length <= wordCharsMax ? text.trim() : "";
  if (hasType(types, "boolean") && /^(?:true|false)$/i.test(word)) return /^true$/i.test(word);
  if (hasType(types, "number") && number.test(word)) return parseJson(word);
  return hasType(types, "null") && word === "null" ? null : text;
}

function fitItems(
  fitting: Fitting,
  schema: unknown,
  items: readonly unknown[],
  within: Position,
): unknown {
  const depth = within.depth + 1;
  const toSchema = toItemSchemas(fitting, schema);
  let copy: unknown[] | null = null;
  for (let key = 0; key < items.length; key += 1) {
    const item = items[key];
    const fitted = fit(fitting, toSchema(key), item, { within, key, depth });
    if (copy === null && Object.is(fitted, item)) continue;
    copy ??= items.slice(0, key);
    copy.push(fitted);
  }
  return copy ?? items;
}

function fitMembers(
  fitting: Fitting,
  schema: unknown,
  members: Record<string, unknown>,
  within: Position,
): unknown {
  const depth = within.depth + 1;
  let isChanged = false;
  const fitted = Object.entries(members).map(([key, value]): [string, unknown] => {
    const one = fit(fitting, fitting.memberOf(schema, key), value, { within, key, depth });
    isChanged ||= !Object.is(one, value);
    return [key, one];
  });
  // `fromEntries` keeps a member with the name "__proto__".
  return isChanged ? Object.fromEntries(fitted) : members;
}

function toPath({ within, key }: Position): string {
  if (within === null) return "";
  const path = toPath(within);
  return typeof key === "number" ? `${path}[${key}]` : joinPath(path, key);
}
