/**
 * One part of a path, escaped so that it cannot re-aim the call, which carries the login. What no
 * escaping makes safe is refused: `.` and `..`, however often they are percent-encoded, since some
 * proxies decode once more than they check.
 */
export function toPathPart(what: string, text: string): string {
  if (text === "") return refuse(what, "is empty");
  if (text.length > charsMax) return refuse(what, `is longer than ${charsMax} characters`);
  if (!text.isWellFormed() || hasControl(text)) {
    return refuse(what, "holds characters that no name has");
  }
  if (decodeFully(what, text).split(/[/\\]/).some(isDotSegment)) {
    return refuse(what, 'holds "." or ".." as a part of its own');
  }
  return encodeURIComponent(text);
}

const charsMax = 1024;

function hasControl(text: string): boolean {
  return [...text].some((character) => character < " " || character === "\u007f");
}

function decodeFully(what: string, text: string): string {
  let decoded = text;
  for (let round = 0; round < roundsMax; round += 1) {
    const next = decoded.replace(/%([0-7][0-9a-f])/gi, toCharacter);
    if (next === decoded) return decoded;
    decoded = next;
  }
  return refuse(what, "is percent-encoded too many times over");
}

const roundsMax = 5;

function toCharacter(_code: string, hex: string): string {
  return String.fromCharCode(Number.parseInt(hex, 16));
}

function isDotSegment(segment: string): boolean {
  return segment === "." || segment === "..";
}

function refuse(what: string, problem: string): never {
  throw new Error(`${what} ${problem}. Nothing was sent.`);
}
