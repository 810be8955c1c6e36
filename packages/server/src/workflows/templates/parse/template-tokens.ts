/** The kind of a token of a template. `space` separates operands, so it is a token too. */
export type TokenKind =
  | "text"
  | "open"
  | "close"
  | "space"
  | "word"
  | "field"
  | "dot"
  | "variable"
  | "number"
  | "char"
  | "string"
  | "rawString"
  | "assign"
  | "declare"
  | "pipe"
  | "comma"
  | "leftParen"
  | "rightParen"
  | "end";

/** A token of a template. `text` is its source, and for `text` what remains after trimming. */
export type Token = { kind: TokenKind; text: string; offset: number };
