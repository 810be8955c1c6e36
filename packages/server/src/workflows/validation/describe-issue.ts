import { endSentence, findNearest } from "@hub/connector";
import { z } from "zod";
import { type Path, quote } from "./problem-list.ts";

/** What a schema refuses, in words for people and models. */
export type IssueText = { path: Path; message: string; hint: string };

/** At most this many unknown keys of one object are listed. */
const keysMax = 20;

/**
 * Describes one issue of a part of a body, which is at `inputPath`. An issue about several unknown keys
 * gives one text for each.
 */
export function describeIssue(
  schema: z.ZodType,
  input: unknown,
  issue: z.core.$ZodIssue,
  inputPath: Path,
): IssueText[] {
  const path = issue.path.filter((part) => typeof part !== "symbol");
  if (issue.code === "unrecognized_keys") {
    const known = listKeys(findSchema(schema, input, path), findValue(input, path));
    return issue.keys.slice(0, keysMax).map((key) => ({
      path: [...path, key],
      message: `The field ${quote(key)} is not known.`,
      hint: suggestOne(key, known, "Fields here"),
    }));
  }
  const value = findValue(input, path);
  const at = toSubject([...inputPath, ...path]);
  if (value === undefined && issue.code !== "invalid_key") {
    const hint = issue.code === "custom" ? "Give it a value." : describeExpected(issue);
    return [{ path, message: `${at} is missing.`, hint }];
  }
  if (issue.code === "too_small" && isEmpty(value)) {
    return [{ path, message: `${at} is empty.`, hint: "Give it a value." }];
  }
  return [{ path, message: `${at} ${describeFault(issue)}`, hint: describeHint(issue, value) }];
}

const isEmpty = (value: unknown) => value === "" || (Array.isArray(value) && value.length === 0);

function toSubject(path: Path): string {
  const last = path.at(-1);
  if (last === undefined) return "The body";
  return typeof last === "number" ? "This item" : `The field ${quote(last)}`;
}

function describeFault(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return "has the wrong type.";
    case "too_small":
      return `must ${toBound(issue.origin, "at least", issue.minimum)}.`;
    case "too_big":
      return `must ${toBound(issue.origin, "at most", issue.maximum)}.`;
    case "invalid_value":
      return "has a value that is not known.";
    case "invalid_key":
      return "has a name that is not allowed.";
    case "invalid_union":
      return issue.discriminator === undefined
        ? "has none of the allowed forms."
        : "has a value that is not known.";
    default:
      return endSentence(issue.message);
  }
}

function describeHint(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === "invalid_value" && typeof value === "string") {
    return suggestOne(value, issue.values.map(String), "Values");
  }
  if (issue.code === "invalid_union" && issue.discriminator !== undefined) {
    const options = "options" in issue && Array.isArray(issue.options) ? issue.options : [];
    return suggestOne(String(value), options.map(String), "Values");
  }
  return describeExpected(issue);
}

function describeExpected(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case "invalid_type":
      return `It must be ${typeNames[issue.expected] ?? issue.expected}.`;
    case "invalid_value":
      return toChoice(issue.values.map(String));
    case "invalid_union": {
      if (issue.discriminator !== undefined) {
        const options = "options" in issue && Array.isArray(issue.options) ? issue.options : [];
        return toChoice(options.map(String));
      }
      const forms = issue.errors.flatMap(([first]) => (first ? [describeForm(first)] : []));
      return [...new Set(forms)].join(" Or: ");
    }
    case "invalid_key":
      return `A name ${endSentence(issue.issues[0]?.message ?? "has another form")}`;
    default:
      return "The reference of workflow bodies has the allowed values.";
  }
}

/** One of several forms: `It must be text.`, or `It must be a number or a template.` */
function describeForm(issue: z.core.$ZodIssue): string {
  const expected = describeExpected(issue);
  if (issue.code === "invalid_type" || issue.code === "invalid_value") return expected;
  return `It ${describeFault(issue)}`;
}

const typeNames: { [expected: string]: string } = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  object: "an object",
  record: "an object",
  array: "a list",
  tuple: "a list of two numbers",
};

function toBound(origin: string, most: string, bound: number | bigint): string {
  if (origin === "string") return `have ${most} ${bound} characters`;
  return origin === "array" ? `have ${most} ${bound} items` : `be ${most} ${bound}`;
}

/** More names are not compared with a misspelt one. */
const comparedMax = 500;

/** `Did you mean "url"?`, or the list of what is known. */
export function suggestOne(text: string, known: readonly string[], what: string): string {
  const nearest = findNearest(text, known.slice(0, comparedMax));
  if (nearest !== null) return `Did you mean "${nearest}"?`;
  return known.length === 0 ? "Remove it." : `${what}: ${listSome(known)}.`;
}

/** `Did you mean "API_KEY"?`, or that the secret must be set. */
export function suggestSecret(name: string, known: readonly string[]): string {
  const nothing = "Set the secret first.";
  return known.length === 0 ? nothing : suggestOne(name, known, `${nothing} Those that are set`);
}

function toChoice(values: readonly string[]): string {
  return values.length === 1
    ? `It must be ${values[0]}.`
    : `It must be one of: ${listSome(values)}.`;
}

function listSome(names: readonly string[]): string {
  const shown = names.slice(0, 30).join(", ");
  return names.length > 30 ? `${shown}, …` : shown;
}

function findValue(input: unknown, path: Path): unknown {
  let value = input;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part))
      return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

/** The schema of the value at a path. A union is resolved by the `type` of the value. */
function findSchema(schema: z.core.$ZodType, input: unknown, path: Path): z.core.$ZodType | null {
  let found: z.core.$ZodType | null = resolve(schema, input);
  for (const [at, part] of path.entries()) {
    if (found instanceof z.ZodObject) found = found.shape[part] ?? null;
    else if (found instanceof z.ZodArray) found = found.element;
    else if (found instanceof z.ZodRecord) found = found.valueType;
    else return null;
    if (found !== null) found = resolve(found, findValue(input, path.slice(0, at + 1)));
  }
  return found;
}

function resolve(schema: z.core.$ZodType, value: unknown): z.core.$ZodType | null {
  let inner = schema;
  while (
    inner instanceof z.ZodOptional ||
    inner instanceof z.ZodDefault ||
    inner instanceof z.ZodPrefault
  ) {
    inner = inner.unwrap();
  }
  if (!(inner instanceof z.ZodDiscriminatedUnion)) return inner;
  const type: unknown = findValue(value, ["type"]);
  return (
    inner.options.find(
      (option) => option instanceof z.ZodObject && option.shape.type?.safeParse(type).success,
    ) ?? null
  );
}

/** The keys that an object may have, without those that it has already. */
function listKeys(schema: z.core.$ZodType | null, value: unknown): string[] {
  if (!(schema instanceof z.ZodObject)) return [];
  const present = typeof value === "object" && value !== null ? value : {};
  return Object.keys(schema.shape).filter((key) => !Object.hasOwn(present, key));
}
