import type { Token } from "markdown-it";
import { parseMarkdownTokens } from "./parse-markdown-tokens.ts";

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
  /** `lines` is 0 for the first line of the text. `isQuoted` is of the line that begins. */
  breakLine(options: { isQuoted: boolean }): void;
  /** Before the first line of the text. */
  begin(options: { isQuoted: boolean }): void;
};

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
  const walk = createWalk(writer);
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

function createWalk(writer: MarkdownWriter) {
  const lists: List[] = [];
  /** The widths of the markers of the open items. */
  const indents: number[] = [];
  let marker: { text: string; startLine: number } | null = null;
  let quotes = 0;
  let isQuoteOpen = false;
  let wasQuoted = false;
  /** The line of the source after the last block; null before the first one. */
  let lastEnd: number | null = null;
  const inline = createInlineWalk(writer, () => ({
    isQuoted: quotes > 0,
    indent: " ".repeat(sum(indents)),
  }));

  /** Breaks the lines before a block as the source does, and writes the mark of its item. */
  function begin([startLine, endLine]: [number, number]): void {
    const isQuoted = quotes > 0;
    if (lastEnd === null) writer.begin({ isQuoted });
    else {
      for (let left = Math.max(startLine - lastEnd, 0); left > 0; left -= 1) {
        writer.breakLine({ isQuoted: isQuoted && wasQuoted });
      }
      writer.breakLine({ isQuoted });
    }
    lastEnd = endLine;
    wasQuoted = isQuoted;
    if (isQuoted && !isQuoteOpen) writer.open("quote");
    isQuoteOpen = isQuoted;
    const width = sum(indents) - (marker?.text.length ?? 0);
    const text = `${" ".repeat(Math.max(width, 0))}${marker?.text ?? ""}`;
    if (text !== "") writer.text(text);
    marker = null;
  }

  function openItem(token: Token): void {
    const list = lists.at(-1);
    const number = list?.nextNumber ?? null;
    if (list !== undefined && number !== null) list.nextNumber = number + 1;
    const text = number === null ? "• " : `${number}${token.markup} `;
    const parent = marker;
    // An item that begins with a list: both marks stand on one line.
    marker = {
      text: parent === null ? text : `${parent.text}${text}`,
      startLine: token.map?.[0] ?? 0,
    };
    indents.push(text.length);
  }

  return {
    block(token: Token): void {
      const place = token.map ?? [lastEnd ?? 0, lastEnd ?? 0];
      switch (token.type) {
        case "blockquote_open":
          quotes += 1;
          break;
        case "blockquote_close":
          quotes -= 1;
          if (quotes === 0 && isQuoteOpen) writer.close("quote");
          if (quotes === 0) isQuoteOpen = false;
          break;
        case "bullet_list_open":
          lists.push({ nextNumber: null });
          break;
        case "ordered_list_open":
          lists.push({ nextNumber: Number(token.attrGet("start") ?? 1) });
          break;
        case "bullet_list_close":
        case "ordered_list_close":
          lists.pop();
          break;
        case "list_item_open":
          openItem(token);
          break;
        case "list_item_close":
          if (marker !== null) begin([marker.startLine, marker.startLine + 1]);
          indents.pop();
          break;
        case "paragraph_open":
          // The text of an item decides its mark.
          if (marker === null) begin(place);
          break;
        case "heading_open":
          begin(place);
          inline.open("bold");
          break;
        case "heading_close":
          inline.close("bold");
          break;
        case "inline": {
          const box = marker === null ? null : takeBox(token);
          if (marker !== null && box !== null) marker.text = marker.text.replace(/• $/, box);
          if (marker !== null) begin(place);
          inline.walk(token.children ?? []);
          break;
        }
        case "hr":
          begin(place);
          writer.text(line, { isEscaped: true });
          break;
        case "fence":
        case "code_block": {
          begin(place);
          const [language = ""] = token.info.trim().split(/\s+/, 1);
          writer.codeBlock(token.content.replace(/\n$/, ""), {
            language: /^[\w+#.-]{1,40}$/.test(language) ? language : null,
            indent: " ".repeat(sum(indents)),
          });
          break;
        }
      }
    },
  };
}

/** Takes `[ ]` or `[x]` from the beginning of an item. */
function takeBox({ children }: Token): string | null {
  const [first] = children ?? [];
  const found = /^\[([ xX])\][ \t]+/.exec(first?.type === "text" ? first.content : "");
  if (first === undefined || found === null) return null;
  first.content = first.content.slice(found[0].length);
  return found[1] === " " ? "☐ " : "☑ ";
}

const styles: Readonly<Record<string, TextStyle>> = {
  strong: "bold",
  em: "italic",
  s: "strikethrough",
};

function createInlineWalk(
  writer: MarkdownWriter,
  readLine: () => { isQuoted: boolean; indent: string },
) {
  const depths = { bold: 0, italic: 0, strikethrough: 0 };
  /** The text that comes next, which the parser has in parts. */
  let plain = "";
  /** The address of the open link, and whether it has a text. */
  let link: { url: string; hasText: boolean } | null = null;

  function flush(): void {
    if (plain === "") return;
    if (link !== null) link.hasText = true;
    writer.text(plain);
    plain = "";
  }

  function open(style: TextStyle): void {
    flush();
    depths[style] += 1;
    if (depths[style] === 1) writer.open(style);
  }

  function close(style: TextStyle): void {
    flush();
    depths[style] -= 1;
    if (depths[style] === 0) writer.close(style);
  }

  function openLink(url: string): boolean {
    flush();
    // `[name]()` has no address.
    if (link !== null || url === "") return false;
    link = { url, hasText: false };
    writer.openLink(url);
    return true;
  }

  function closeLink(): void {
    flush();
    if (link === null) return;
    const { url, hasText } = link;
    if (!hasText) writer.text(url);
    link = null;
    writer.closeLink(url);
  }

  function breakLine(): void {
    // The name of a link is one line.
    if (link !== null) {
      plain += " ";
      return;
    }
    flush();
    const { isQuoted, indent } = readLine();
    writer.breakLine({ isQuoted });
    if (indent !== "") writer.text(indent);
  }

  function walk(tokens: readonly Token[]): void {
    for (const token of tokens) {
      const [, name = "", end] = /^(strong|em|s)_(open|close)$/.exec(token.type) ?? [];
      const style = styles[name];
      if (style !== undefined) {
        if (end === "open") open(style);
        else close(style);
        continue;
      }
      switch (token.type) {
        case "text":
          plain += token.content;
          break;
        case "text_special":
          flush();
          if (link !== null) link.hasText = true;
          writer.text(token.content, { isEscaped: true });
          break;
        case "softbreak":
        case "hardbreak":
          breakLine();
          break;
        case "code_inline":
          flush();
          if (link !== null) link.hasText = true;
          writer.code(token.content);
          break;
        case "link_open":
          openLink(String(token.attrGet("href") ?? ""));
          break;
        case "link_close":
          closeLink();
          break;
        case "image": {
          const isOwn = openLink(String(token.attrGet("src") ?? ""));
          plain += token.content;
          if (isOwn) closeLink();
          break;
        }
        default:
          plain += token.content;
      }
    }
    flush();
  }

  return { open, close, walk };
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
