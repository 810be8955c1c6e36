import { TemplateError } from "../template-error.ts";
import type { Token, TokenKind } from "./template-tokens.ts";

/** Reads the token of an action that starts at `at`. */
export function lexActionToken(source: string, at: number): Token {
  const { kind, end } = findToken(source, at);
  return { kind, text: source.slice(at, end), offset: at };
}

type Found = { kind: TokenKind; end: number };

const marks: Readonly<Record<string, TokenKind>> = {
  "=": "assign",
  "|": "pipe",
  ",": "comma",
  "(": "leftParen",
  ")": "rightParen",
};

function findToken(source: string, at: number): Found {
  const char = source[at] ?? "";
  if (isSpace(char)) return { kind: "space", end: skipSpaces(source, at) };
  const mark = Object.hasOwn(marks, char) ? marks[char] : undefined;
  if (mark !== undefined) return { kind: mark, end: at + 1 };
  if (char === ":") {
    if (source[at + 1] === "=") return { kind: "declare", end: at + 2 };
    throw fail(source, at, 'Write ":=" to declare a variable.');
  }
  if (char === '"') return { kind: "string", end: findQuoteEnd(source, at, "text") };
  if (char === "'") return { kind: "char", end: findQuoteEnd(source, at, "character") };
  if (char === "`") return { kind: "rawString", end: findRawEnd(source, at) };
  if (char === "$") return { kind: "variable", end: findNameEnd(source, at) };
  if (char === "." && !isDigit(source[at + 1])) {
    const end = findNameEnd(source, at);
    return { kind: end === at + 1 ? "dot" : "field", end };
  }
  if (char === "." || char === "+" || char === "-" || isDigit(char)) {
    return { kind: "number", end: findNumberEnd(source, at) };
  }
  if (isNameChar(charAt(source, at))) return { kind: "word", end: findNameEnd(source, at) };
  throw fail(source, at, `"${charAt(source, at)}" is not expected in an action.`);
}

/**
 * The end of the spaces at `at`. A space directly before `-}}` is left, because it is a part of
 * the trim marker.
 */
function skipSpaces(source: string, at: number): number {
  let end = at;
  while (isSpace(source[end])) end += 1;
  return source.startsWith("-}}", end) && end - 1 > at ? end - 1 : end;
}

/** The end of the name whose first character, or whose `.` or `$`, is at `at`. */
function findNameEnd(source: string, at: number): number {
  let end = isNameChar(charAt(source, at)) ? at : at + 1;
  for (let char = charAt(source, end); isNameChar(char); char = charAt(source, end)) {
    end += char.length;
  }
  if (!isAtTerminator(source, end)) {
    const name = source.slice(at, end);
    throw fail(
      source,
      end,
      `"${charAt(source, end)}" cannot follow "${name}". ${
        source[end] === "-"
          ? `For a name with other characters use index: {{index .Event "a-b"}}.`
          : "Separate the parts of an action by spaces."
      }`,
    );
  }
  return end;
}

function isAtTerminator(source: string, at: number): boolean {
  const char = source[at];
  if (char === undefined || isSpace(char)) return true;
  return ".,|:()".includes(char) || source.startsWith("}}", at);
}

function findQuoteEnd(source: string, at: number, what: string): number {
  for (let end = at + 1; end < source.length; end += 1) {
    const char = source[end];
    if (char === source[at]) return end + 1;
    if (char === "\n") break;
    if (char === "\\") {
      end += 1;
      if (source[end] === "\n") break;
    }
  }
  throw fail(source, at, `The quoted ${what} is not closed in its line. Add ${source[at]}.`);
}

function findRawEnd(source: string, at: number): number {
  const end = source.indexOf("`", at + 1);
  if (end === -1) throw fail(source, at, "The raw text is not closed. Add `.");
  return end + 1;
}

/** Everything that can be in a number; `parseNumber` checks it. */
function findNumberEnd(source: string, at: number): number {
  let end = at + 1;
  while (isNumberChar(source, end)) end += 1;
  return end;
}

function isNumberChar(source: string, at: number): boolean {
  const char = source[at];
  if (char === "+" || char === "-") return /[eEpP]/.test(source[at - 1] ?? "");
  return char !== undefined && (char === "." || isNameChar(charAt(source, at)));
}

function charAt(source: string, at: number): string {
  const code = source.codePointAt(at);
  return code === undefined ? "" : String.fromCodePoint(code);
}

const nameChar = /^[\p{L}\p{Nd}_]$/u;

function isNameChar(char: string): boolean {
  return nameChar.test(char);
}

function isSpace(char: string | undefined): boolean {
  return char === " " || char === "\t" || char === "\r" || char === "\n";
}

function isDigit(char: string | undefined): boolean {
  return char !== undefined && char >= "0" && char <= "9";
}

function fail(source: string, offset: number, reason: string): TemplateError {
  return new TemplateError({ source, offset }, "template_invalid", reason);
}
