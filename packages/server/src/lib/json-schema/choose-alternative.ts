import { isJsonObject, type JsonSchema } from "@hub/connector";
import { findAcceptedTypes, hasType, toJsonType } from "./accepted-types.ts";
import { isJsonEqual } from "./json-equal.ts";
import { resolveReference } from "./resolve-reference.ts";
import { listValues, type Problem, toList, type Validation } from "./validation.ts";

type Refused = { schema: unknown; problem: Problem };

/**
 * The problem of the alternative that a refused value fits best, with the name of this alternative. That is the one of the
 * value's type whose fixed members it has, else with most of its members, else whose problem lies deepest.
 */
export function chooseAlternative(
  validation: Validation,
  value: unknown,
  path: string,
  refused: readonly Refused[],
): Problem {
  const { root, spend } = validation;
  const type = toJsonType(value);
  const possible = refused.filter(({ schema }) =>
    hasType(findAcceptedTypes(root, spend, schema), type),
  );
  const [first] = possible;
  if (first === undefined) return joinTypes(path, refused);
  if (possible.length === 1) return first.problem;
  const ranked = possible.map((one) => ({ ...one, rank: toRank(validation, one, value) }));
  const best = ranked.reduce((before, one) => (isHigher(one.rank, before.rank) ? one : before));
  const name = nameAlternative(validation, best.schema);
  const { problem } = best;
  return name === null ? problem : { ...problem, message: `${problem.message} (${name})` };
}

/** No alternative accepts the type. Those of all of them are named, if each one expects a type. */
function joinTypes(path: string, refused: readonly Refused[]): Problem {
  const alternatives = refused.map(({ schema }) => schema);
  const names = refused.flatMap(({ problem }) =>
    problem.refusedBy !== undefined && problem.path === path
      ? [problem.message.slice(mustBe.length)]
      : [],
  );
  const [first] = refused;
  if (names.length === refused.length || first === undefined) {
    const message = `${mustBe}${[...new Set(names)].join(" or ")}`;
    return { path, message, refusedBy: { anyOf: alternatives } };
  }
  return first.problem;
}

/** How the problem of a type begins. */
export const mustBe = "must be ";

type Rank = readonly [fixed: number, members: number, depth: number];

function isHigher(one: Rank, other: Rank): boolean {
  const at = one.findIndex((part, index) => part !== other[index]);
  return at !== -1 && (one[at] ?? 0) > (other[at] ?? 0);
}

function toRank(validation: Validation, { schema, problem }: Refused, value: unknown): Rank {
  const depth = countLevels(problem.path);
  const whole = resolve(validation, schema);
  if (!isJsonObject(value) || !isJsonObject(whole)) return [0, 0, depth];
  const { properties, required } = whole;
  const known = isJsonObject(properties) ? properties : {};
  const names = validation.listNames(value);
  let fixed = 0;
  for (const [name, only] of listFixed(validation, whole)) {
    if (!Object.hasOwn(value, name)) continue;
    fixed += isJsonEqual(validation, only, value[name]) ? 1 : -1;
  }
  const missing = toList(required).filter((name) => !Object.hasOwn(value, String(name))).length;
  return [fixed, names.filter((name) => Object.hasOwn(known, name)).length - missing, depth];
}

/** A path holds names that callers choose, of any length. */
const pathCharsMax = 1_000;

function countLevels(path: string): number {
  let levels = 1;
  for (let at = 0; at < path.length && at < pathCharsMax; at += 1) {
    if (path[at] === "." || path[at] === "[") levels += 1;
  }
  return levels;
}

/** `with kind "b"`, or the alternative's title, or the names that it requires. */
function nameAlternative(validation: Validation, schema: unknown): string | null {
  const whole = resolve(validation, schema);
  if (!isJsonObject(whole)) return null;
  const fixed = listFixed(validation, whole).slice(0, namesMax);
  if (fixed.length > 0) {
    const members = fixed.map(([name, only]) => `${name} ${listValues([only])}`);
    return cut(`in the form with ${members.join(", ")}`);
  }
  if (typeof whole.title === "string") return cut(`in the form "${whole.title}"`);
  const names = toList(whole.required).map(String).slice(0, namesMax);
  return names.length === 0 ? null : cut(`in the form with ${names.join(", ")}`);
}

const namesMax = 4;
const nameCharsMax = 100;

function cut(text: string): string {
  return text.length <= nameCharsMax ? text : `${text.slice(0, nameCharsMax).toWellFormed()}…`;
}

/** The members that have one value only, such as the kind of an object. */
function listFixed(
  { listNames }: Pick<Validation, "listNames">,
  { properties }: JsonSchema,
): [string, unknown][] {
  if (!isJsonObject(properties)) return [];
  return listNames(properties).flatMap((name): [string, unknown][] => {
    const member = properties[name];
    if (!isJsonObject(member)) return [];
    if (member.const !== undefined) return [[name, member.const]];
    const values = toList(member.enum);
    return values.length === 1 ? [[name, values[0]]] : [];
  });
}

function resolve({ root, spend }: Validation, schema: unknown): unknown {
  if (!isJsonObject(schema) || typeof schema.$ref !== "string") return schema;
  spend(1);
  return resolveReference(root, schema.$ref);
}
