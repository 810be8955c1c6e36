import { TemplateError } from "../template-error.ts";
import type { Token, TokenKind } from "./template-tokens.ts";

/** Reads tokens one after another. The last token is always `end`. */
export type TokenReader = ReturnType<typeof createTokenReader>;

export function createTokenReader(source: string, tokens: readonly Token[]) {
  const last: Token = { kind: "end", text: "", offset: source.length };
  let at = 0;
  const peek = (ahead = 0): Token => tokens[at + ahead] ?? last;
  const skipSpace = () => {
    if (peek().kind === "space") at += 1;
  };
  const next = (): Token => {
    const token = peek();
    at += 1;
    return token;
  };
  const fail = (token: Pick<Token, "offset">, reason: string) =>
    new TemplateError({ source, offset: token.offset }, "template_invalid", reason);
  return {
    source,
    peek,
    next,
    skipSpace,
    fail,
    /** Reads a token of this kind. Throws for another one. */
    expect: (kind: TokenKind, reason: string): Token => {
      skipSpace();
      if (peek().kind !== kind) throw fail(peek(), reason);
      return next();
    },
  };
}

/** A token as messages name it. */
export function nameToken({ kind, text }: Token): string {
  if (kind === "end") return "the end of the template";
  return kind === "close" ? '"}}"' : `"${text.length > 40 ? `${text.slice(0, 40)}…` : text}"`;
}
