import {
  findNumberText,
  type Issue,
  isJsonObject,
  type JsonSchema,
  parseJson,
} from "@hub/connector";
import type { GivenJsonReader } from "../given-json.ts";
import { type JsonType, listAcceptedTypes, toJsonType } from "./accepted-types.ts";
import { type PartDeps, toItemSchemas, toMemberSchema } from "./part-schemas.ts";
import { joinPath } from "./validation.ts";

/** The schemas that one fitting looks at, some 50 ms. A value that costs more is left to the check. */
const stepsMax = 200_000;

class TooManySteps extends Error {}

type Fitting = PartDeps & {
  reader: GivenJsonReader;
  memberOf(schema: unknown, name: string): unknown;
  issues: Issue[];
};

/** A value, its schema and its place. `depth`: the levels of the message around it. */
type Given = { schema: unknown; value: unknown; path: string; depth: number };

/**
 * Rewrites what models write in another type than a schema takes: an object or a list as JSON text, a number or a
 * boolean as text, and a text as a number or a boolean. A value is rewritten only where the schema refuses its type in
 * any case. So a text stays a text wherever a text may be. The issues are texts that are too large to be parsed.
 */
export function fitToSchema(
  root: JsonSchema,
  reader: GivenJsonReader,
  given: { value: unknown; depth: number },
): { value: unknown; issues: readonly Issue[] } {
  const fitting = createFitting(root, reader);
  try {
    const value = fit(fitting, { schema: root, path: "", ...given });
    return { value, issues: fitting.issues };
  } catch (thrown) {
    // References may lead in a circle, and alternatives multiply.
    if (!(thrown instanceof TooManySteps) && !(thrown instanceof RangeError)) throw thrown;
    return { value: given.value, issues: [] };
  }
}

function createFitting(root: JsonSchema, reader: GivenJsonReader): Fitting {
  let steps = 0;
  const spend = (count: number) => {
    steps += count;
    if (steps > stepsMax) throw new TooManySteps();
  };
  const types = new Map<unknown, ReadonlySet<JsonType>>();
  const members = new Map<unknown, Map<string, unknown>>();
  const fitting: Fitting = {
    ...{ root, spend, reader, issues: [] },
    typesOf(schema) {
      spend(1);
      const found = types.get(schema) ?? listAcceptedTypes(root, spend, schema);
      types.set(schema, found);
      return found;
    },
    memberOf(schema, name) {
      const known = members.get(schema) ?? new Map<string, unknown>();
      members.set(schema, known);
      if (!known.has(name)) known.set(name, toMemberSchema(fitting, schema, name));
      return known.get(name);
    },
  };
  return fitting;
}

function fit(fitting: Fitting, given: Given): unknown {
  const { schema, value } = given;
  const types = fitting.typesOf(schema);
  const type = toJsonType(value);
  if (Array.isArray(value)) return types.has(type) ? fitItems(fitting, given, value) : value;
  if (isJsonObject(value)) return types.has(type) ? fitMembers(fitting, given, value) : value;
  if (types.has(type) || type === "null") return value;
  if (typeof value === "string") return fitText(fitting, given, value);
  return types.has("string") ? (findNumberText(value) ?? String(value)) : value;
}

/** A longer text is no number or boolean that a model wrote. */
const wordCharsMax = 400;
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** A text where none may be. */
function fitText(fitting: Fitting, given: Given, text: string): unknown {
  const { schema, path, depth } = given;
  const types = fitting.typesOf(schema);
  if (types.has("object") || types.has("array")) {
    const read = fitting.reader.read(text, depth);
    if (read !== null && "problem" in read) fitting.issues.push({ path, message: read.problem });
    else if (read !== null && types.has(toJsonType(read.value))) {
      return fit(fitting, { ...given, value: read.value });
    }
  }
  const word = text.length <= wordCharsMax ? text.trim() : "";
  if (types.has("boolean") && /^(?:true|false)$/i.test(word)) return /^true$/i.test(word);
  if (types.has("number") && number.test(word)) return parseJson(word);
  return types.has("null") && word === "null" ? null : text;
}

function fitItems(fitting: Fitting, given: Given, items: readonly unknown[]): unknown {
  const { path, depth } = given;
  const toSchema = toItemSchemas(fitting, given.schema);
  let copy: unknown[] | null = null;
  for (const [index, value] of items.entries()) {
    const item = { schema: toSchema(index), value, path: `${path}[${index}]`, depth: depth + 1 };
    const fitted = fit(fitting, item);
    if (copy === null && Object.is(fitted, value)) continue;
    copy ??= items.slice(0, index);
    copy.push(fitted);
  }
  return copy ?? items;
}

function fitMembers(
  fitting: Fitting,
  { schema, path, depth }: Given,
  members: Record<string, unknown>,
): unknown {
  let isChanged = false;
  const fitted = Object.entries(members).map(([name, value]): [string, unknown] => {
    const member = { schema: fitting.memberOf(schema, name), value, depth: depth + 1 };
    const one = fit(fitting, { ...member, path: joinPath(path, name) });
    isChanged ||= !Object.is(one, value);
    return [name, one];
  });
  // `fromEntries` keeps a member with the name "__proto__".
  return isChanged ? Object.fromEntries(fitted) : members;
}
