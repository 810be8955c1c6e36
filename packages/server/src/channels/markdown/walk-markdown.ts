import type { Token } from "markdown-it";
import type { MarkdownWriter } from "./markdown-writer.ts";
import { parseMarkdownTokens } from "./parse-markdown-tokens.ts";
import { InlineWalk } from "./walk-inline.ts";

type Options = {
  /** Whether a reader can follow an address. Others are no links. */
  isLink(url: string): boolean;
};

/**
 * Reads Markdown and writes it, line by line as in the source. What is no Markdown stays as it is, so no text is
 * refused. The work is linear in the length.
 */
export function walkMarkdown(source: string, writer: MarkdownWriter, options: Options): void {
  const tokens = parseMarkdownTokens(source, options.isLink);
  const walk = new BlockWalk(writer);
  if (tokens === null) writePlain(source, writer);
  else for (const token of tokens) walk.block(token);
}

function writePlain(source: string, writer: MarkdownWriter): void {
  writer.begin({ isQuoted: false });
  for (const [at, line] of source.split(/\r\n|\r|\n/).entries()) {
    if (at > 0) writer.breakLine({ isQuoted: false });
    writer.text(line);
  }
}

const line = "──────────";

type List = { nextNumber: number | null };

/** Where the walk is: in which lists, items and quotes, and at which line of the source. */
class BlockWalk {
  readonly #writer: MarkdownWriter;
  readonly #inline: InlineWalk;
  readonly #lists: List[] = [];
  /** The widths of the markers of the open items. */
  readonly #indents: number[] = [];
  #marker: { text: string; startLine: number } | null = null;
  #quotes = 0;
  #isQuoteOpen = false;
  #wasQuoted = false;
  /** The line of the source after the last block; null before the first one. */
  #lastEnd: number | null = null;

  constructor(writer: MarkdownWriter) {
    this.#writer = writer;
    this.#inline = new InlineWalk(writer, () => ({
      isQuoted: this.#quotes > 0,
      indent: this.#indent(),
    }));
  }

  block(token: Token): void {
    switch (token.type) {
      case "blockquote_open":
        this.#quotes += 1;
        break;
      case "blockquote_close":
        this.#closeQuote();
        break;
      case "bullet_list_open":
        this.#lists.push({ nextNumber: null });
        break;
      case "ordered_list_open":
        this.#lists.push({ nextNumber: Number(token.attrGet("start") ?? 1) });
        break;
      case "bullet_list_close":
      case "ordered_list_close":
        this.#lists.pop();
        break;
      case "list_item_open":
        this.#openItem(token);
        break;
      case "list_item_close":
        this.#closeItem();
        break;
      case "heading_close":
        this.#inline.close("bold");
        break;
      default:
        this.#content(token, token.map ?? [this.#lastEnd ?? 0, this.#lastEnd ?? 0]);
    }
  }

  /** Blocks that write something. */
  #content(token: Token, span: [number, number]): void {
    switch (token.type) {
      case "paragraph_open":
        // The text of an item decides its mark.
        if (this.#marker === null) this.#begin(span);
        break;
      case "heading_open":
        this.#begin(span);
        this.#inline.open("bold");
        break;
      case "inline":
        this.#text(token, span);
        break;
      case "hr":
        this.#begin(span);
        this.#writer.text(line, { isEscaped: true });
        break;
      case "fence":
      case "code_block":
        this.#begin(span);
        this.#code(token);
        break;
    }
  }

  #closeQuote(): void {
    this.#quotes -= 1;
    if (this.#quotes > 0) return;
    if (this.#isQuoteOpen) this.#writer.close("quote");
    this.#isQuoteOpen = false;
  }

  #openItem(token: Token): void {
    const list = this.#lists.at(-1);
    const number = list?.nextNumber ?? null;
    if (list !== undefined && number !== null) list.nextNumber = number + 1;
    const text = number === null ? "• " : `${number}${token.markup} `;
    const parent = this.#marker;
    // An item that begins with a list: both marks stand on one line.
    this.#marker = {
      text: parent === null ? text : `${parent.text}${text}`,
      startLine: token.map?.[0] ?? 0,
    };
    this.#indents.push(text.length);
  }

  #closeItem(): void {
    if (this.#marker !== null) this.#begin([this.#marker.startLine, this.#marker.startLine + 1]);
    this.#indents.pop();
  }

  #text(token: Token, span: [number, number]): void {
    if (this.#marker !== null) {
      const box = takeBox(token);
      if (box !== null) this.#marker.text = this.#marker.text.replace(/• $/, box);
      this.#begin(span);
    }
    this.#inline.walk(token.children ?? []);
  }

  #code({ info, content }: Token): void {
    const [language = ""] = info.trim().split(/\s+/, 1);
    this.#writer.codeBlock(content.replace(/\n$/, ""), {
      language: /^[\w+#.-]{1,40}$/.test(language) ? language : null,
      indent: this.#indent(),
    });
  }

  /** Breaks the lines before a block as the source does, and writes the mark of its item. */
  #begin([startLine, endLine]: [number, number]): void {
    const isQuoted = this.#quotes > 0;
    this.#breakLines(startLine, isQuoted);
    this.#lastEnd = endLine;
    this.#wasQuoted = isQuoted;
    if (isQuoted && !this.#isQuoteOpen) this.#writer.open("quote");
    this.#isQuoteOpen = isQuoted;
    const width = sum(this.#indents) - (this.#marker?.text.length ?? 0);
    const text = `${" ".repeat(Math.max(width, 0))}${this.#marker?.text ?? ""}`;
    if (text !== "") this.#writer.text(text);
    this.#marker = null;
  }

  #breakLines(startLine: number, isQuoted: boolean): void {
    if (this.#lastEnd === null) {
      this.#writer.begin({ isQuoted });
      return;
    }
    for (let left = Math.max(startLine - this.#lastEnd, 0); left > 0; left -= 1) {
      this.#writer.breakLine({ isQuoted: isQuoted && this.#wasQuoted });
    }
    this.#writer.breakLine({ isQuoted });
  }

  #indent(): string {
    return " ".repeat(sum(this.#indents));
  }
}

/** Takes `[ ]` or `[x]` from the beginning of an item. */
function takeBox({ children }: Token): string | null {
  const [first] = children ?? [];
  const found = /^\[([ xX])\][ \t]+/.exec(first?.type === "text" ? first.content : "");
  if (first === undefined || found === null) return null;
  first.content = first.content.slice(found[0].length);
  return found[1] === " " ? "☐ " : "☑ ";
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
