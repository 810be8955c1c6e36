/** How the text of a message is written. */
export type TextFormat = "markdown" | "mrkdwn" | "plain";

export type FormattedText = { text: string; mrkdwn: boolean };

type Options = {
  format: TextFormat;
  /** Whether `<@U1>`, `<#C1>`, `<!subteam^S1>` and `<!here>` in the text notify. */
  mentions: boolean;
};

/**
 * Turns a text into Slack's own syntax. Unless the caller asks for it, nothing in it can notify
 * people: `<!channel>` in the data of an event stays text.
 */
export function formatText(text: string, { format, mentions }: Options): FormattedText {
  if (format === "mrkdwn") return { text, mrkdwn: true };
  if (format === "plain") return { text: escapeText(text, mentions), mrkdwn: false };
  return { text: fromMarkdown(text, mentions), mrkdwn: true };
}

const mentionPattern =
  /<(?:@[UW]\w{1,30}|#[CG]\w{1,30}|!subteam\^S\w{1,30}|!(?:here|channel|everyone))>/g;

/** Escapes the three characters with which Slack's links, mentions and commands begin. */
export function escapeText(text: string, mentions = false): string {
  const escapePart = (part: string) =>
    part.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  if (!mentions) return escapePart(text);
  let escaped = "";
  let at = 0;
  for (const match of text.matchAll(mentionPattern)) {
    escaped += escapePart(text.slice(at, match.index)) + match[0];
    at = match.index + match[0].length;
  }
  return escaped + escapePart(text.slice(at));
}

/** CommonMark's usual parts, line by line. Each character is looked at a bounded number of times. */
function fromMarkdown(text: string, mentions: boolean): string {
  let fence: string | null = null;
  const lines = text.split(/\r?\n/).map((line) => {
    const mark = /^ {0,3}(```+|~~~+)/.exec(line)?.[1];
    if (fence !== null) {
      if (mark?.startsWith(fence) && line.trim() === mark) {
        fence = null;
        return "```";
      }
      return escapeText(line);
    }
    if (mark !== undefined) {
      fence = mark;
      return "```";
    }
    return fromLine(line, mentions);
  });
  // A block that is not closed would swallow what Slack adds below.
  if (fence !== null) lines.push("```");
  return lines.join("\n");
}

/** Where `.` stopped before the end, such as at U+2028, the patterns would try all lengths of spaces. */
function fromLine(line: string, mentions: boolean): string {
  const heading = /^ {0,3}#{1,6}[ \t]+(.+)$/s.exec(line)?.[1];
  if (heading !== undefined) {
    return `*${fromNested(withoutClosing(heading), mentions)}*`;
  }
  if (/^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$/.test(line)) return "──────────";
  const [, quote = "", indent = "", bullet = "", rest = line] =
    /^((?:> ?)*)([ \t]*)((?:[-*+][ \t]+(?:\[[ xX]\][ \t]+)?)?)(.*)$/s.exec(line) ?? [];
  const box = /\[([ xX])\]/.exec(bullet)?.[1];
  const mark = bullet === "" ? "" : box === undefined ? "• " : box === " " ? "☐ " : "☑ ";
  return `${quote === "" ? "" : "> "}${indent}${mark}${fromInline(rest, mentions)}`;
}

/** `## Title ##` ends with marks that are no part of the title. */
function withoutClosing(heading: string): string {
  const title = heading.trimEnd();
  let end = title.length;
  while (end > 0 && title.charAt(end - 1) === "#") end -= 1;
  return end === 0 || /\s/.test(title.charAt(end - 1)) ? title.slice(0, end).trimEnd() : title;
}

type Style = { mark: string; slack: string };

/** Longer marks first. */
const styles: readonly Style[] = [
  { mark: "**", slack: "*" },
  { mark: "__", slack: "*" },
  { mark: "~~", slack: "~" },
  { mark: "*", slack: "_" },
  { mark: "_", slack: "_" },
];

function fromInline(line: string, mentions: boolean): string {
  // Marks without an end in the rest of the line: they are looked for once.
  const hopeless = new Set<string>();
  // The address that was no link. Many brackets may come before it.
  let noLinkAt = -1;
  let out = "";
  let plain = "";
  const flush = () => {
    out += escapeText(plain, mentions);
    plain = "";
  };
  for (let at = 0; at < line.length; ) {
    const char = line.charAt(at);
    if (char === "\\" && /[!-/:-@[-`{-~]/.test(line.charAt(at + 1))) {
      plain += line.charAt(at + 1);
      at += 2;
      continue;
    }
    if (char === "`") {
      const end = line.indexOf("`", at + 1);
      if (end > at + 1) {
        flush();
        out += `\`${escapeText(line.slice(at + 1, end))}\``;
        at = end + 1;
        continue;
      }
    }
    if (char === "[" || (char === "!" && line.charAt(at + 1) === "[")) {
      const link = readLink(line, char === "[" ? at : at + 1, noLinkAt);
      if (typeof link === "number") noLinkAt = link;
      else if (link !== null) {
        flush();
        out += `<${link.url}|${link.label}>`;
        at = link.end;
        continue;
      }
    }
    const style = styles.find(({ mark }) => line.startsWith(mark, at) && !hopeless.has(mark));
    if (style !== undefined) {
      const end = findEnd(line, at, style.mark);
      if (end !== null) {
        flush();
        const inner = line.slice(at + style.mark.length, end);
        // One level deep: what is inside another mark keeps its own marks.
        out += style.slack + fromNested(inner, mentions) + style.slack;
        at = end + style.mark.length;
        continue;
      }
      hopeless.add(style.mark);
    }
    plain += char;
    at += 1;
  }
  flush();
  return out;
}

const fromNested = (inner: string, mentions: boolean) =>
  escapeText(inner.replace(/\*\*|~~|`/g, ""), mentions);

/** The end of a style: a mark after a character that is no space, and for `_` not inside a word. */
function findEnd(line: string, at: number, mark: string): number | null {
  const first = line.charAt(at + mark.length);
  if (first === "" || /\s/.test(first)) return null;
  const isWordMark = mark.startsWith("_");
  if (isWordMark && /\w/.test(line.charAt(at - 1))) return null;
  const from = at + mark.length;
  let end = line.indexOf(mark, from);
  // A bounded number of tries keeps the work linear.
  for (let tries = 0; end !== -1 && tries < 8; tries += 1) {
    const before = line.charAt(end - 1);
    const isInside = isWordMark && /\w/.test(line.charAt(end + mark.length));
    const isLonger = mark.length === 1 && line.charAt(end + 1) === mark;
    if (end > from && !/\s/.test(before) && !isInside && !isLonger) return end;
    end = line.indexOf(mark, end + (isLonger ? 2 : mark.length));
  }
  return null;
}

const labelCharsMax = 1000;
const urlCharsMax = 3000;

/**
 * `[label](https://…)`. Only addresses that a reader can follow become links. Returns the place of
 * an address that cannot be one, which `noLinkAt` gives back; null if there is no address.
 */
function readLink(
  line: string,
  at: number,
  noLinkAt: number,
): { url: string; label: string; end: number } | number | null {
  const close = line.slice(at, at + labelCharsMax).indexOf("](");
  if (close === -1) return null;
  const from = at + close + 2;
  if (from === noLinkAt) return from;
  const end = line.slice(from, from + urlCharsMax).search(/[\s)]/);
  if (end === -1 || line.charAt(from + end) !== ")") return from;
  const address = line.slice(from, from + end);
  if (!/^(https?:\/\/|mailto:)/i.test(address) || !URL.canParse(address)) return from;
  const url = address
    .replaceAll("&", "&amp;")
    .replaceAll("<", "%3C")
    .replaceAll(">", "%3E")
    .replaceAll("|", "%7C");
  const label = escapeText(line.slice(at + 1, at + close)).replaceAll("|", "¦");
  return { url, label: label === "" ? url : label, end: from + end + 1 };
}

/** A text of Slack as a person reads it. Mentions stay `<@U1>`, because names can change. */
export function readText(text: string): string {
  return text
    .replace(
      /<([^<>|]{1,3000})(?:\|([^<>]{0,3000}))?>/g,
      (whole, target: string, label?: string) => {
        if (/^[@#]/.test(target)) return `<${target}>`;
        if (target.startsWith("!")) {
          if (target.startsWith("!date^")) return label ?? "";
          return target.startsWith("!subteam^") ? `<${target}>` : `@${target.slice(1)}`;
        }
        if (!/^[a-z][a-z0-9+.-]*:/i.test(target)) return whole;
        const isSame = label === undefined || target.endsWith(label);
        return isSame ? target.replace(/^mailto:/, "") : `${label} (${target})`;
      },
    )
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
}
