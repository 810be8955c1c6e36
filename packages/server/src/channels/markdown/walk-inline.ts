import type { Token } from "markdown-it";
import type { MarkdownWriter, TextStyle } from "./markdown-writer.ts";

const styles: Readonly<Record<string, TextStyle>> = {
  strong: "bold",
  em: "italic",
  s: "strikethrough",
};

/** Writes the inline tokens of a text. A style that is open already is not opened again. */
export class InlineWalk {
  readonly #writer: MarkdownWriter;
  readonly #readLine: () => { isQuoted: boolean; indent: string };
  readonly #depths = { bold: 0, italic: 0, strikethrough: 0 };
  /** The text that comes next, which the parser has in parts. */
  #plain = "";
  /** The address of the open link, and whether it has a text. */
  #link: { url: string; hasText: boolean } | null = null;

  /** `readLine` is asked for a line that begins. */
  constructor(writer: MarkdownWriter, readLine: () => { isQuoted: boolean; indent: string }) {
    this.#writer = writer;
    this.#readLine = readLine;
  }

  walk(tokens: readonly Token[]): void {
    for (const token of tokens) if (!this.#style(token)) this.#write(token);
    this.#flush();
  }

  open(style: TextStyle): void {
    this.#flush();
    this.#depths[style] += 1;
    if (this.#depths[style] === 1) this.#writer.open(style);
  }

  close(style: TextStyle): void {
    this.#flush();
    this.#depths[style] -= 1;
    if (this.#depths[style] === 0) this.#writer.close(style);
  }

  /** Opens or closes a style. False for another token. */
  #style({ type }: Token): boolean {
    const [, name = "", end] = /^(strong|em|s)_(open|close)$/.exec(type) ?? [];
    const style = styles[name];
    if (style === undefined) return false;
    if (end === "open") this.open(style);
    else this.close(style);
    return true;
  }

  #write(token: Token): void {
    switch (token.type) {
      case "text_special":
        this.#beginSpecial();
        this.#writer.text(token.content, { isEscaped: true });
        break;
      case "softbreak":
      case "hardbreak":
        this.#breakLine();
        break;
      case "code_inline":
        this.#beginSpecial();
        this.#writer.code(token.content);
        break;
      case "link_open":
        this.#openLink(String(token.attrGet("href") ?? ""));
        break;
      case "link_close":
        this.#closeLink();
        break;
      case "image": {
        const isOwn = this.#openLink(String(token.attrGet("src") ?? ""));
        this.#plain += token.content;
        if (isOwn) this.#closeLink();
        break;
      }
      default:
        this.#plain += token.content;
    }
  }

  #flush(): void {
    if (this.#plain === "") return;
    if (this.#link !== null) this.#link.hasText = true;
    this.#writer.text(this.#plain);
    this.#plain = "";
  }

  /** Before what is no plain text. */
  #beginSpecial(): void {
    this.#flush();
    if (this.#link !== null) this.#link.hasText = true;
  }

  /** Returns false if the token opens no link. */
  #openLink(url: string): boolean {
    this.#flush();
    // `[name]()` has no address.
    if (this.#link !== null || url === "") return false;
    this.#link = { url, hasText: false };
    this.#writer.openLink(url);
    return true;
  }

  #closeLink(): void {
    this.#flush();
    if (this.#link === null) return;
    const { url, hasText } = this.#link;
    if (!hasText) this.#writer.text(url);
    this.#link = null;
    this.#writer.closeLink(url);
  }

  #breakLine(): void {
    // The name of a link is one line.
    if (this.#link !== null) {
      this.#plain += " ";
      return;
    }
    this.#flush();
    const { isQuoted, indent } = this.#readLine();
    this.#writer.breakLine({ isQuoted });
    if (indent !== "") this.#writer.text(indent);
  }
}
