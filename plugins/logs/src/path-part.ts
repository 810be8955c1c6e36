import { decodePath } from "@hub/connector";

/**
 * Escapes one part of a path, so that it cannot change the target of the call, which sends the login. `.` and
 * `..` are refused, also if they are percent-encoded repeatedly, because some proxies decode once more
 * than they check.
 */
export function toPathPart(text: string, refuse: Refuse): string {
  if (text === "") return refuse("is empty");
  if (text.length > charsMax) return refuse(`is longer than ${charsMax} characters`);
  if (!text.isWellFormed() || hasControl(text)) {
    return refuse("contains invalid characters");
  }
  const decoded = decodePath(text);
  if (decoded === null) return refuse("is percent-encoded too many times over");
  if (decoded.split(/[/\\]/).some(isDotSegment)) {
    return refuse('contains "." or ".." as a segment');
  }
  return encodeURIComponent(text);
}

/** Throws an error. The problem continues the name of the refused input. */
type Refuse = (problem: string) => never;

const charsMax = 1024;

function hasControl(text: string): boolean {
  return [...text].some((character) => character < " " || character === "\u007f");
}

function isDotSegment(segment: string): boolean {
  return segment === "." || segment === "..";
}
