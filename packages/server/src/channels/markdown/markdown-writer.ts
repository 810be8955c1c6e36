export type TextStyle = "bold" | "italic" | "strikethrough";

/** Writes a text in the form of a platform. Styles are nested, and none is open twice. */
export type MarkdownWriter = {
  /** `isEscaped` for characters that the source wrote as an escape, so that they mean nothing. */
  text(text: string, options?: { isEscaped: boolean }): void;
  open(style: TextStyle | "quote"): void;
  close(style: TextStyle | "quote"): void;
  openLink(url: string): void;
  closeLink(url: string): void;
  code(text: string): void;
  /** `indent` stands before each further line. */
  codeBlock(text: string, options: { language: string | null; indent: string }): void;
  /** `isQuoted` is of the line that begins. */
  breakLine(options: { isQuoted: boolean }): void;
  /** Before the first line of the text. */
  begin(options: { isQuoted: boolean }): void;
};
