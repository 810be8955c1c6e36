import { writeMrkdwn } from "./write-mrkdwn.ts";

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
  return {
    text: writeMrkdwn(text, {
      escapeWith: (part, options) => escapeText(part, mentions && !options?.isEscaped),
    }),
    mrkdwn: true,
  };
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
