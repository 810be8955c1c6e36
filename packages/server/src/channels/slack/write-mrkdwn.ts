import type { TextStyle } from "../markdown/markdown-writer.ts";
import { walkMarkdown } from "../markdown/walk-markdown.ts";

const urlCharsMax = 3000;

const marks: Readonly<Record<TextStyle, string>> = { bold: "*", italic: "_", strikethrough: "~" };

/** Escapes the characters with which Slack's own syntax begins. What the source wrote as an escape never notifies. */
type Escape = (text: string, options?: { isEscaped: boolean }) => string;

/** Turns Markdown into Slack's own syntax. */
export function writeMrkdwn(source: string, { escapeWith }: { escapeWith: Escape }): string {
  const plain: Escape = (text) => escapeWith(text, { isEscaped: true });
  const parts: string[] = [];
  /** The name of the open link. It is plain text in Slack. */
  let label: string | null = null;
  const mark = (text: string) => {
    if (label === null) parts.push(text);
  };
  const beginLine = (isQuoted: boolean) => (isQuoted ? "> " : "");
  let isQuotedLine = false;
  walkMarkdown(
    source,
    {
      text(text, options) {
        if (label !== null) label += text;
        else parts.push(escapeWith(text, options));
      },
      open(style) {
        if (style !== "quote") mark(marks[style]);
      },
      close(style) {
        if (style !== "quote") mark(marks[style]);
      },
      openLink() {
        label = "";
      },
      closeLink(url) {
        const name = label ?? "";
        label = null;
        parts.push(writeLink(url, name, plain));
      },
      code(text) {
        if (label !== null) label += text;
        // Slack has no code with a backtick in it.
        else parts.push(text.includes("`") ? plain(text) : `\`${plain(text)}\``);
      },
      codeBlock(text, { indent }) {
        const prefix = beginLine(isQuotedLine) + indent;
        // Three backticks inside would end the block.
        const lines = plain(text)
          .replace(/`(?=``)/g, "`\u200b")
          .split("\n");
        const inner = text === "" ? [] : lines;
        parts.push(["```", ...inner, "```"].join(`\n${prefix}`));
      },
      breakLine({ isQuoted }) {
        isQuotedLine = isQuoted;
        parts.push(`\n${beginLine(isQuoted)}`);
      },
      begin({ isQuoted }) {
        isQuotedLine = isQuoted;
        parts.push(beginLine(isQuoted));
      },
    },
    { isLink: isFollowed },
  );
  return parts.join("");
}

/** Only addresses that a reader can follow become links. */
function isFollowed(url: string): boolean {
  return url.length <= urlCharsMax && /^(https?:\/\/|mailto:)/i.test(url) && URL.canParse(url);
}

function writeLink(address: string, name: string, plain: Escape): string {
  const url = address
    .replaceAll("&", "&amp;")
    .replaceAll("<", "%3C")
    .replaceAll(">", "%3E")
    .replaceAll("|", "%7C")
    .replace(/\s/g, (space) => encodeURIComponent(space));
  if (name === address) return `<${url}>`;
  return `<${url}|${plain(name).replaceAll("|", "¦")}>`;
}
