import type { Token } from "markdown-it";
import type { MarkdownWriter } from "./markdown-writer.ts";
import { parseMarkdownTokens } from "./parse-markdown-tokens.ts";
import { createInlineWalk } from "./walk-inline.ts";

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

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
