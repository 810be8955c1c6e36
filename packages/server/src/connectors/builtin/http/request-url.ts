import { readPairs } from "./pairs.ts";
import { refuseParam, refuseSetting } from "./refuse.ts";

/**
 * The address that `path` and `query` mean below the row's base URL. A path that could lead
 * anywhere else would carry the row's credential there, so it is refused and never repaired.
 */
export function toRequestUrl(baseUrl: string, path: string, query: unknown): URL {
  if (!URL.canParse(baseUrl)) return refuseSetting("base_url", "is not a valid address");
  const base = new URL(baseUrl);
  const { pathname, search } = splitPath(path);
  checkPath(pathname);
  const root = base.pathname.replace(/\/+$/, "");
  const url = new URL(base);
  url.hash = "";
  if (pathname !== "/" && pathname !== "") url.pathname = `${root}/${pathname.replace(/^\//, "")}`;
  url.search = [base.search.slice(1), search, toSearch(query)].filter(Boolean).join("&");
  // The checks above should leave nothing to find here; should a parser disagree, nothing is sent.
  if (url.origin !== base.origin || !isBelow(url.pathname, base.pathname, root)) refuseEscape();
  return url;
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
      "must be a path below the base URL, such as /users/42; of a whole address pass only what follows the base URL",
    );
  }
  // URL parsers drop tabs and line breaks, which would put two dots back together.
  if (hasControl(pathname)) refuseParam("path", "must not hold control characters");
  if (pathname.includes("\\")) refuseParam("path", 'must use "/", not a backslash');
  if (pathname.includes("#")) refuseParam("path", 'must not hold "#"; write %23 for the character');
  if (decodeFully(pathname).split(/[/\\]/).some(isDotSegment)) refuseEscape();
}

function hasControl(text: string): boolean {
  return [...text].some((character) => character < " " || character === "\u007f");
}

/** Decodes until nothing changes: some servers decode once more than they check. */
function decodeFully(text: string): string {
  checkEncoding(text);
  let decoded = text;
  for (let round = 0; round < roundsMax; round += 1) {
    const next = decoded.replace(/%([0-7][0-9a-f])/gi, toCharacter);
    if (next === decoded) return decoded;
    decoded = next;
  }
  return refuseParam("path", "is percent-encoded too many times over");
}

const roundsMax = 5;

function toCharacter(_code: string, hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

/** Overlong encodings of "." and "/" are no UTF-8 either. */
function checkEncoding(text: string): void {
  try {
    decodeURIComponent(text);
  } catch {
    refuseParam("path", 'holds a "%" that begins no UTF-8 code; write %25 for the character');
  }
}

/** `..;x` counts: servers that know path parameters take them off before they walk up. */
function isDotSegment(segment: string): boolean {
  const name = segment.split(";")[0]?.trim();
  return name === "." || name === "..";
}

function isBelow(pathname: string, basePathname: string, root: string): boolean {
  return pathname === basePathname || pathname.startsWith(`${root}/`);
}

function refuseEscape(): never {
  refuseParam("path", 'must not hold "." or ".." segments: calls stay below the base URL');
}

function toSearch(query: unknown): string {
  return readPairs("query", query)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");
}
