import type { Token } from "markdown-it";
import type { MarkdownWriter, TextStyle } from "./markdown-writer.ts";

const styles: Readonly<Record<string, TextStyle>> = {
  strong: "bold",
  em: "italic",
  s: "strikethrough",
};

/** Writes the inline tokens of a text. A style that is open already is not opened again. */
export function createInlineWalk(
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
