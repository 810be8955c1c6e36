import { SetupError } from "../setup-error.ts";
import { decodePath, holdsDotSegment } from "./path-below.ts";

/**
 * The base URL of every request, without a slash at the end, of a configuration field. Only http and https. A query, a fragment
 * or credentials are refused, because they would be in the middle of other addresses. Throws {@link SetupError}, which does
 * not quote the URL: it may contain a password. `field` is the wire key of the field.
 *
 * @example toBaseUrl("https://code.example.com/api/v3/") // "https://code.example.com/api/v3"
 */
export function toBaseUrl(saved: string | undefined, field = "base_url"): string {
  const refuse = (problem: string): never => {
    throw new SetupError(`${field} ${problem}`);
  };
  const text = saved?.trim() ?? "";
  if (text === "") return refuse("is not set");
  if (!URL.canParse(text)) return refuse("is not a valid address");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return refuse("must begin with https:// or http://");
  }
  if (url.username !== "" || url.password !== "") {
    return refuse("contains a user name or password. Set them in their own fields");
  }
  if (/[?#]/.test(text)) return refuse('must not contain "?" or "#"');
  return `${url.origin}${url.pathname.replace(/\/+$/, "")}`;
}

/**
 * The address of a request: a base URL of {@link toBaseUrl} and a path that begins with a slash, whose variable parts are
 * escaped, such as by {@link toPathPart}. Throws an `Error`, which fails the call with `upstream_error`, if a parser would read
 * another address. Nothing is sent then.
 *
 * @example toRequestUrl("https://code.example.com/api", "/labels/a%2Fb").href // "https://code.example.com/api/labels/a%2Fb"
 */
export function toRequestUrl(base: string, path: string): URL {
  const url = URL.parse(base + path);
  // Without the slash, the path would continue the name of the host, or make a user name of it.
  if (path.startsWith("/") && url?.href === base + path) return url;
  throw new Error("The inputs do not make a valid URL. Nothing was sent.");
}

/**
 * Escapes one part of a path, so that it cannot change the target of the request, which sends the credentials. Refused are an
 * empty text, control characters, invalid Unicode, and `.` and `..`, also if they are percent-encoded repeatedly, because
 * some proxies decode once more than they check. `refuse` throws an error; its problem continues the name of the input.
 *
 * @example
 * const part = toPathPart(params.Label, (problem) => {
 *   throw new InvalidInputError("label", `${problem}. Nothing was sent.`);
 * });
 */
export function toPathPart(text: string, refuse: (problem: string) => never): string {
  if (text === "") return refuse("is empty");
  if (!text.isWellFormed()) return refuse("is not valid Unicode");
  if (hasControl(text)) return refuse("contains control characters");
  const decoded = decodePath(text);
  if (decoded === null) return refuse("is percent-encoded too many times over");
  if (holdsDotSegment(decoded)) {
    return refuse('contains "." or ".." as a segment');
  }
  return encodeURIComponent(text);
}

function hasControl(text: string): boolean {
  return [...text].some((character) => character < " " || character === "\u007f");
}
