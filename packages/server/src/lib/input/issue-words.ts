import type { z } from "zod";

/** What the words of a missing value are. */
export const isRequired = "is required";

/**
 * The words of the hub for what a schema refuses, for callers: a predicate such as `must be a text`, to which the name
 * of the value is added. It is the `error` of each parse whose issues are shown. Messages of schemas go before.
 *
 * @example schema.safeParse(input, { error: issueWords })
 */
export const issueWords: z.core.$ZodErrorMap = (issue) => {
  switch (issue.code) {
    case "invalid_type":
      return describeType(issue.expected, issue.input);
    case "invalid_value":
      return toChoice(issue.values);
    case "too_small":
      return describeBound(issue, "at least", issue.minimum);
    case "too_big":
      return describeBound(issue, "at most", issue.maximum);
    case "invalid_format":
      return describeFormat(issue);
    case "not_multiple_of":
      return `must be a multiple of ${issue.divisor}`;
    case "unrecognized_keys":
      return `has members that are not known: ${listSome(issue.keys)}`;
    case "invalid_key":
      return `has a name that ${issue.issues[0]?.message ?? "is not allowed"}`;
    case "invalid_element":
      return `has an item that ${issue.issues[0]?.message ?? "is not allowed"}`;
    case "invalid_union":
      return describeUnion(issue);
    default:
      return "is not valid";
  }
};

/** A kind of JSON value, as messages name it: `a text`, `a list`. */
export const typeNames: { readonly [expected: string]: string | undefined } = {
  string: "a text",
  number: "a number",
  int: "a whole number",
  bigint: "a whole number",
  boolean: "true or false",
  null: "null",
  object: "an object",
  record: "an object",
  map: "an object",
  array: "a list",
  tuple: "a list",
  set: "a list",
  date: "a date",
};

function describeType(expected: string, input: unknown): string {
  if (input === undefined || expected === "nonoptional") return isRequired;
  if (expected === "never" || expected === "undefined") return "must be left out";
  return `must be ${typeNames[expected] ?? "of another type"}`;
}

function toChoice(values: readonly unknown[]): string {
  return values.length === 1
    ? `must be ${String(values[0])}`
    : `must be one of: ${listSome(values)}`;
}

const listedMax = 30;

function listSome(values: readonly unknown[]): string {
  const shown = values.slice(0, listedMax).map(String).join(", ");
  const rest = values.length - listedMax;
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}

type Bound = { origin: string; exact?: boolean | undefined; inclusive?: boolean | undefined };

function describeBound(
  { origin, exact = false, inclusive = true }: Bound,
  limit: "at least" | "at most",
  bound: number | bigint,
): string {
  const unit = units[origin];
  if (unit === undefined) {
    const isDate = origin === "date";
    const shown = isDate ? new Date(Number(bound)).toISOString() : String(bound);
    const strict = limit === "at least" ? "more than" : "less than";
    return `must be ${inclusive ? limit : strict} ${shown}`;
  }
  if (limit === "at least" && Number(bound) === 1 && !exact) return "must not be empty";
  const counted = Number(bound) === 1 ? unit : `${unit}s`;
  return `must have ${exact ? "exactly" : limit} ${bound} ${counted}`;
}

const units: { readonly [origin: string]: string | undefined } = {
  string: "character",
  array: "item",
  set: "item",
  map: "member",
  record: "member",
  object: "member",
  file: "byte",
};

type Format = { format: string; pattern?: unknown; prefix?: unknown; suffix?: unknown };

function describeFormat(issue: Format & Record<string, unknown>): string {
  switch (issue.format) {
    case "regex":
      return `must match the pattern ${issue.pattern}`;
    case "starts_with":
      return `must begin with ${JSON.stringify(issue.prefix)}`;
    case "ends_with":
      return `must end with ${JSON.stringify(issue.suffix)}`;
    case "includes":
      return `must contain ${JSON.stringify(issue.includes)}`;
    default:
      return `must be ${formatNames[issue.format] ?? `in the format ${issue.format}`}`;
  }
}

const formatNames: { readonly [format: string]: string | undefined } = {
  uuid: "a UUID, such as 8d4c1f0e-6b52-4a7d-9e3b-5f20c7a91d64",
  guid: "a UUID, such as 8d4c1f0e-6b52-4a7d-9e3b-5f20c7a91d64",
  email: "an email address, such as ada@example.com",
  url: "a full URL, such as https://example.com",
  datetime: "an RFC 3339 time, such as 2026-11-20T09:42:00Z",
  date: "a date, such as 2026-11-20",
  time: "a time of day, such as 09:42:00",
  duration: "a duration, such as PT15M",
  ipv4: "an IPv4 address, such as 192.0.2.1",
  ipv6: "an IPv6 address, such as 2001:db8::1",
  cidrv4: "an IPv4 network, such as 192.0.2.0/24",
  cidrv6: "an IPv6 network, such as 2001:db8::/32",
  base64: "base64",
  base64url: "base64url",
  json_string: "JSON",
  lowercase: "in lower case",
  uppercase: "in upper case",
};

type Union = {
  discriminator?: string | undefined;
  errors?: readonly (readonly z.core.$ZodIssue[])[];
  inclusive?: boolean | undefined;
};

/** Of alternatives, each is named by what it expects of the value itself. */
function describeUnion(issue: Union & Record<string, unknown>): string {
  const { options, errors = [], inclusive } = issue;
  if (Array.isArray(options) && options.length > 0) return toChoice(options);
  if (inclusive === false) return "must fit only one of the allowed forms";
  const forms = errors.flatMap(([first]) =>
    first !== undefined && first.path.length === 0 ? [first.message] : [],
  );
  const isComplete = errors.length > 0 && forms.length === errors.length;
  return isComplete ? [...new Set(forms)].join(", or ") : "has none of the allowed forms";
}
