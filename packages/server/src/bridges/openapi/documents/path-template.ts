import { decodePath, holdsDotSegment } from "@hub/connector";
import { LeftOut } from "./left-out.ts";
import type { Parameter } from "./read-parameters.ts";

const pathCharsMax = 4_000;

/** A path as a call needs it, and the names and values that every call has in its query. */
export type PathTemplate = { path: string; query?: string };

/**
 * Reads the path of an operation, which stays below the server's address, whatever its parts are. A query in it is
 * sent. A fragment is not: documents have it to tell operations of one path apart. Throws LeftOut.
 */
export function readPathTemplate(given: string, parameters: readonly Parameter[]): PathTemplate {
  if (given.length > pathCharsMax)
    throw new LeftOut(`Its path is longer than ${pathCharsMax} characters.`);
  if (!given.startsWith("/")) throw new LeftOut('Its path does not begin with "/".');
  if (/[\0-\x20\x7f\\]/.test(given)) {
    throw new LeftOut("Its path has a space, a control character or a backslash.");
  }
  const inQuery = listNames(parameters, "query");
  const [address = ""] = expandQuery(given, inQuery).split("#", 1);
  const start = address.indexOf("?");
  const path = start === -1 ? address : address.slice(0, start);
  const pairs = start === -1 ? [] : address.slice(start + 1).split("&");
  // The parameter is sent by itself.
  const fixed = pairs.filter((pair) => pair !== "" && !isOfParameter(pair, inQuery));
  const decoded = decodePath(path);
  if (path.startsWith("//") || decoded === null || holdsDotSegment(decoded)) {
    throw new LeftOut("Its path leads outside the server's address.");
  }
  const query = fixed.join("&");
  const known = listNames(parameters, "path");
  for (const name of listPathNames(`${path}?${query}`)) {
    if (!known.has(name)) {
      throw new LeftOut("Its path has a part in braces that is not among its parameters.");
    }
  }
  if (/[{}]/.test(`${path}${query}`.replace(/\{[^{}]*\}/g, "")))
    throw new LeftOut("Its path has a brace alone.");
  return { path, ...(query !== "" && { query }) };
}

function listNames(parameters: readonly Parameter[], place: string): ReadonlySet<string> {
  return new Set(parameters.flatMap(({ binding }) => (binding.in === place ? [binding.name] : [])));
}

/** Without `{?a,b}`, which stands for parameters of the query. */
function expandQuery(path: string, inQuery: ReadonlySet<string>): string {
  return path.replace(/\{[?&]([^{}]*)\}/g, (_, names: string) => {
    if (names.split(",").every((name) => inQuery.has(name.replace(/\*$/, "")))) return "";
    throw new LeftOut("Its path has a part in braces that is not among its parameters.");
  });
}

/** `q={q}`, where `q` is a parameter of the query. */
function isOfParameter(pair: string, inQuery: ReadonlySet<string>): boolean {
  const [, name = "", value = ""] = /^([^=]*)=\{([^{}]*)\}$/.exec(pair) ?? [];
  return inQuery.has(name) && (value === name || inQuery.has(value));
}

export function listPathNames(path: string): string[] {
  return [...path.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
}
