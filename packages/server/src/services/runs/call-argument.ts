import { findText } from "@hub/connector";
import { cutLine } from "../../lib/text/cut-line.ts";
import { splitTokens, tokenPrefix } from "../../secrets/value-tokens/token-format.ts";
import { readScalars, type Scalar } from "./read-scalars.ts";

const argumentCharsMax = 80;

/** The method and path of an operation, with the inputs that stand in its path. */
export type CallRoute = {
  method: string;
  path: string;
  inputs: ReadonlyArray<{ input: string; name: string }>;
};

/** Names of inputs that say which thing a call is about, those that say most first. */
const namingInputs = [
  /^(path|url|uri)$/,
  /^(id|number|iid|key|slug)$/,
  /(id|number|key)$/,
  /^(name|title|subject)$/,
  /^(q|query|search|command)$/,
];
/** What a person may have typed there does not belong in a list. */
const secretName = /pass|secret|token|credential|authorization|apikey|privatekey/;

/**
 * What distinguishes a call from others, from the beginning of its stored request: method and path, else the argument that
 * says most. One line of at most 80 characters, without tokens. Null if there is none.
 */
export function findCallArgument(requestStart: string, route: CallRoute | null): string | null {
  const scalars = readScalars(requestStart).filter(
    ({ name, value }) =>
      value.trim() !== "" && !name.startsWith("_") && !secretName.test(toPlainName(name)),
  );
  if (route !== null) return toLine(`${route.method.toUpperCase()} ${fillPath(route, scalars)}`);
  const ranked = scalars.map(({ name, value }, at) => ({ value, at, rank: toRank(name) }));
  const [first] = ranked.toSorted((one, other) => one.rank - other.rank || one.at - other.at);
  if (first === undefined) return null;
  return toLine(first.rank === 0 ? cutQuery(first.value) : first.value);
}

function toPlainName(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, "");
}

function toRank(name: string): number {
  const found = namingInputs.findIndex((pattern) => pattern.test(toPlainName(name)));
  return found === -1 ? namingInputs.length : found;
}

function fillPath({ path, inputs }: CallRoute, scalars: readonly Scalar[]): string {
  const values = new Map(scalars.map(({ name, value }) => [name, value]));
  const known = new Map(inputs.map(({ input, name }) => [name, values.get(input)]));
  return path.replace(/\{([^{}]*)\}/g, (whole, name: string) => known.get(name) ?? whole);
}

/** A query may hold what the path only leads to, such as a key. */
function cutQuery(path: string): string {
  const at = findText(path, "?");
  return at === -1 ? path : `${path.slice(0, at)}?…`;
}

function toLine(value: string): string | null {
  const parts = splitTokens(value, null);
  const text = parts.map((part) => (part.kind === "text" ? part.text : "…")).join("");
  // Where the request was cut within a token, and what only looks like one.
  const at = findText(text, tokenPrefix);
  return cutLine(at === -1 ? text : `${text.slice(0, at)}…`, argumentCharsMax) || null;
}
