import { TemplateError } from "../template-error.ts";
import { lexActionToken } from "./lex-action.ts";
import type { Token } from "./template-tokens.ts";

/**
 * Splits a template into tokens: text, and the parts of its actions. Comments are left out, and
 * trim markers are applied. Reads the source once.
 */
export function lexTemplate(source: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let trimsNext = false;
  while (at < source.length) {
    const open = source.indexOf("{{", at);
    const end = open === -1 ? source.length : open;
    const trimsBefore = open !== -1 && isTrimMarker(source, open + 2);
    pushText(tokens, source, { start: at, end, trimsStart: trimsNext, trimsEnd: trimsBefore });
    if (open === -1) break;
    const inside = open + 2 + (trimsBefore ? 2 : 0);
    const closed = source.startsWith("/*", inside)
      ? skipComment(source, inside)
      : lexAction(source, { open, inside }, tokens);
    at = closed.end;
    trimsNext = closed.trimsAfter;
  }
  tokens.push({ kind: "end", text: "", offset: source.length });
  return tokens;
}

type Closed = { end: number; trimsAfter: boolean };

function pushText(
  tokens: Token[],
  source: string,
  {
    start,
    end,
    trimsStart,
    trimsEnd,
  }: Record<"start" | "end", number> & Record<"trimsStart" | "trimsEnd", boolean>,
): void {
  let from = start;
  let to = end;
  if (trimsStart) while (from < to && isSpace(source.charCodeAt(from))) from += 1;
  if (trimsEnd) while (to > from && isSpace(source.charCodeAt(to - 1))) to -= 1;
  if (to > from) tokens.push({ kind: "text", text: source.slice(from, to), offset: from });
}

function skipComment(source: string, start: number): Closed {
  const close = source.indexOf("*/", start + 2);
  if (close === -1) throw fail(source, start, 'The comment is not closed. End it with "*/}}".');
  const closed = findClose(source, close + 2);
  if (closed === null) {
    throw fail(source, close, 'A comment fills its whole action: write "{{/* … */}}".');
  }
  return closed;
}

function lexAction(
  source: string,
  { open, inside }: { open: number; inside: number },
  tokens: Token[],
): Closed {
  tokens.push({ kind: "open", text: "{{", offset: open });
  let at = inside;
  let depth = 0;
  for (;;) {
    const closed = findClose(source, at);
    if (closed !== null) {
      if (depth > 0) throw fail(source, at, 'A "(" is not closed. Add ")".');
      tokens.push({ kind: "close", text: "}}", offset: at });
      return closed;
    }
    if (at >= source.length) throw fail(source, open, 'The action is not closed. Add "}}".');
    const token = lexActionToken(source, at);
    if (token.kind === "leftParen") depth += 1;
    if (token.kind === "rightParen") depth -= 1;
    if (depth < 0) throw fail(source, at, 'A ")" has no "(" before it.');
    tokens.push(token);
    at += token.text.length;
  }
}

/** The end of an action whose closing braces, perhaps after a trim marker, begin at `at`. */
function findClose(source: string, at: number): Closed | null {
  if (source.startsWith("}}", at)) return { end: at + 2, trimsAfter: false };
  const trims = isSpace(source.charCodeAt(at)) && source.startsWith("-}}", at + 1);
  return trims ? { end: at + 4, trimsAfter: true } : null;
}

function isTrimMarker(source: string, at: number): boolean {
  return source[at] === "-" && isSpace(source.charCodeAt(at + 1));
}

/** Space, tab, carriage return and line feed are the spaces of templates. */
function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0d || code === 0x0a;
}

function fail(source: string, offset: number, reason: string): TemplateError {
  return new TemplateError({ source, offset }, "template_invalid", reason);
}
