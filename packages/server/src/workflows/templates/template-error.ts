/** Why a template cannot be parsed or rendered. */
export type TemplateErrorCode =
  /** The source is not a template. */
  | "template_invalid"
  /** A value does not fit its use. */
  | "template_failed"
  /** Rendering costs too many steps, or the output is too large. */
  | "template_limit"
  /** A function or a comparison would change or read a secret. */
  | "secret_transformed"
  /** A secret of the workflow is not set. */
  | "secret_missing";

const reasonCharsMax = 500;

/** An error of a template with its place, both for people: lines and columns start at 1. */
export class TemplateError extends Error {
  readonly code: TemplateErrorCode;
  /** The place in UTF-16 code units from the beginning of the source. */
  readonly offset: number;
  readonly line: number;
  /** In characters from the beginning of the line. */
  readonly column: number;
  /** The message without the place. */
  readonly reason: string;

  constructor(at: { source: string; offset: number }, code: TemplateErrorCode, reason: string) {
    const { line, column } = toLineColumn(at.source, at.offset);
    // A reason names parts of the source and of the data, which can be long.
    const short = reason.length > reasonCharsMax ? `${reason.slice(0, reasonCharsMax)}…` : reason;
    super(`Line ${line}, column ${column}: ${short}`);
    this.name = "TemplateError";
    this.code = code;
    this.offset = at.offset;
    this.line = line;
    this.column = column;
    this.reason = short;
  }
}

/** The line and the column of an offset. */
export function toLineColumn(source: string, offset: number): { line: number; column: number } {
  const before = source.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  let line = 1;
  for (let at = before.indexOf("\n"); at !== -1; at = before.indexOf("\n", at + 1)) line += 1;
  return { line, column: [...before.slice(lineStart)].length + 1 };
}
