import {
  chargeChars,
  chargeSteps,
  checkTextLength,
  type RenderContext,
} from "../render/render-context.ts";
import type { Value } from "../render/template-values.ts";
import { anyNumber, type TemplateFunction } from "./define-function.ts";
import { printArguments } from "./print-functions.ts";
import { refuseTokens } from "./take-argument.ts";

/**
 * The escapes of Go. They refuse value tokens: a token passes them unchanged, so the secret would
 * arrive without escapes.
 */
export const escapeFunctions = {
  html: define("html", escapeHtml),
  js: define("js", escapeJs),
  urlquery: define("urlquery", escapeQuery),
} satisfies Record<string, TemplateFunction>;

/** Escapes a text. `charge` counts characters that the result does not show. */
type Escape = (text: string, charge: (chars: number) => void) => string;

function define(name: string, toEscaped: Escape): TemplateFunction {
  return {
    args: [0, anyNumber],
    call: (ctx: RenderContext, args: readonly Value[]) => {
      const text = printArguments(ctx, args, "<no value>");
      chargeChars(ctx, text.length);
      refuseTokens(ctx, name, text);
      return escapeInPieces(ctx, text.toWellFormed(), toEscaped);
    },
  };
}

const pieceChars = 16 * 1024;

/** Escapes a text piece by piece, so that a text that becomes too long is refused early. */
function escapeInPieces(ctx: RenderContext, text: string, toEscaped: Escape): string {
  // Each escape takes about as long as two steps.
  const charge = (chars: number) => chargeSteps(ctx, Math.ceil(chars / 2));
  const pieces: string[] = [];
  let length = 0;
  for (let at = 0; at < text.length; ) {
    const isInPair = text.charCodeAt(at + pieceChars) >>> 10 === 0xdc00 >>> 10;
    const end = at + pieceChars + (isInPair ? 1 : 0);
    const piece = toEscaped(text.slice(at, end), charge);
    length += piece.length;
    charge(piece.length - (Math.min(end, text.length) - at));
    checkTextLength(ctx, length);
    pieces.push(piece);
    at = end;
  }
  return pieces.join("");
}

const htmlEscapes: Readonly<Record<string, string>> = {
  "\u0000": "\ufffd",
  '"': "&#34;",
  "'": "&#39;",
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
};

function escapeHtml(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the null character is escaped too.
  return text.replace(/[\u0000"'&<>]/g, (char) => htmlEscapes[char] ?? char);
}

const jsEscapes: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "'": "\\'",
  '"': '\\"',
  "<": "\\u003C",
  ">": "\\u003E",
  "&": "\\u0026",
  "=": "\\u003D",
};

/** Also escapes what cannot be printed, such as control characters. */
const jsSpecial = /[\\'"<>&=]|[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/gu;

function escapeJs(text: string): string {
  return text.replace(jsSpecial, (char) => {
    const code = char.codePointAt(0) ?? 0;
    return jsEscapes[char] ?? `\\u${code.toString(16).toUpperCase().padStart(4, "0")}`;
  });
}

function escapeQuery(text: string, charge: (chars: number) => void): string {
  const encoded = encodeURIComponent(text);
  // A space becomes `%20` and then one character again.
  charge((encoded.length - text.length) / 4);
  return encoded
    .replaceAll("%20", "+")
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}
