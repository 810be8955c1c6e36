import { decodePath, holdsDotSegment, isBelow } from "@hub/connector";
import type { HttpConfig } from "./http-config-fields.ts";
import { refuseParam, refuseSetting } from "./refuse.ts";
import { type PairLimits, readPairs } from "./text-pairs.ts";

/** Limit with the query. More than servers accept in the first line of a request. */
const pathCharsMax = 64 * 1024;
export const queryLimits: PairLimits = { pairsMax: 1000, charsMax: 64 * 1024 };

type AddressConfig = Pick<HttpConfig, "BaseURL"> & Partial<HttpConfig>;

/**
 * The URL of `path` and `query` below the row's base URL. A path that could lead elsewhere would send
 * the row's credential there, so it is refused and never repaired.
 */
export function toRequestUrl(config: AddressConfig, path: string, query: unknown): URL {
  const base = readBaseUrl(config.BaseURL);
  if (path.length > pathCharsMax) {
    refuseParam("path", `must be at most ${pathCharsMax} characters long`);
  }
  const { pathname, search } = splitPath(path);
  checkPath(pathname);
  const root = base.pathname.replace(/\/+$/, "");
  const url = new URL(base);
  if (pathname !== "/" && pathname !== "") url.pathname = `${root}/${pathname.replace(/^\//, "")}`;
  const pairs = readPairs("query", query, queryLimits);
  const given = new Set([...new URLSearchParams(search).keys(), ...pairs.map(([name]) => name)]);
  url.search = [...listOwnPairs(config, given).map(toPairText), search, ...pairs.map(toPairText)]
    .filter(Boolean)
    .join("&");
  // A second check, in case the URL parser disagrees with the checks above.
  if (!isBelow(url, base)) refuseEscape();
  return url;
}

/** The base URL of the row. One that was saved before these rules may have to be changed. */
export function readBaseUrl(text: string): URL {
  if (!URL.canParse(text)) return refuseSetting("base_url", "is not a valid URL");
  const base = new URL(text);
  if (base.username !== "" || base.password !== "") {
    refuseSetting(
      "base_url",
      "contains a user name or password; move them to username and password with auth_mode basic",
    );
  }
  if (base.search !== "") {
    refuseSetting(
      "base_url",
      "contains a query string; move it to default_query or, if it is a secret, to query_name and query_value with auth_mode query",
    );
  }
  base.hash = "";
  return base;
}

function splitPath(path: string): { pathname: string; search: string } {
  const mark = path.indexOf("?");
  if (mark === -1) return { pathname: path, search: "" };
  return { pathname: path.slice(0, mark), search: path.slice(mark + 1) };
}

function checkPath(pathname: string): void {
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(pathname) || pathname.startsWith("//")) {
    refuseParam(
      "path",
      "must be a path below the base URL, such as /users/42; for a complete URL, send only the part after the base URL",
    );
  }
  // URL parsers drop tabs and line breaks, which could join two dots.
  if (hasControl(pathname)) refuseParam("path", "must not contain control characters");
  if (pathname.includes("\\")) refuseParam("path", 'must use "/", not a backslash');
  if (pathname.includes("#"))
    refuseParam("path", 'must not contain "#"; write %23 for the character');
  checkEncoding(pathname);
  const decoded = decodePath(pathname);
  if (decoded === null) refuseParam("path", "is percent-encoded too many times");
  else if (holdsDotSegment(decoded)) refuseEscape();
}

function hasControl(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it checks for these characters.
  return /[\0-\x1f\x7f]/.test(text);
}

/** Overlong encodings of "." and "/" are not valid UTF-8 either. */
function checkEncoding(text: string): void {
  try {
    decodeURIComponent(text);
  } catch {
    refuseParam(
      "path",
      'contains a "%" that does not start a UTF-8 code; write %25 for the character',
    );
  }
}

function refuseEscape(): never {
  refuseParam("path", 'must not contain "." or ".." segments: calls stay below the base URL');
}

/** Adds the row's defaults that the call does not set, and its credential, which nothing replaces. */
function listOwnPairs(config: AddressConfig, given: ReadonlySet<string>): [string, string][] {
  const pairs: [string, string][] = [];
  for (const { name, value } of config.DefaultQuery ?? []) {
    if (name !== "" && !given.has(name)) pairs.push([name, value]);
  }
  if (config.AuthMode !== "query" || config.QueryName === undefined) return pairs;
  const name = config.QueryName.trim();
  if (given.has(name)) refuseParam("query", "has the parameter that the row sets; leave it out");
  return [...pairs, [name, (config.QueryValue ?? "").trim()]];
}

/** Half of a surrogate pair becomes U+FFFD, as in JSON that the hub sends. */
function toPairText(pair: readonly [string, string]): string {
  return pair.map((text) => encodeURIComponent(text.toWellFormed())).join("=");
}
