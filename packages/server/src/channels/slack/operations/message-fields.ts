import { InvalidInputError, wick } from "@hub/connector";
import { formatText, type TextFormat } from "../format-text.ts";

/** The inputs that say what a message shows. */
export const messageFields = {
  Text: wick(
    "textarea;desc=What the message says. With blocks, it is the short form for notifications.",
  ),
  Format: wick(
    "dropdown=markdown|mrkdwn|plain;default=markdown;desc=markdown: Markdown, turned into Slack's syntax. mrkdwn: Slack's own syntax, sent as it is, with mentions and links. plain: as it is written.",
  ),
  Mentions: wick.bool(
    "default=false;desc=<@U…>, <#C…>, <!subteam^S…>, <!here> and <!channel> in the text notify people. Otherwise they are text. Do not use it with texts of strangers.",
  ),
  Blocks: wick.json(
    "desc=Block Kit blocks, an array of at most 50, such as buttons. They are sent as they are. [] removes them.",
  ),
};

export type MessageParams = {
  Text?: string | undefined;
  Format?: TextFormat | undefined;
  Mentions?: boolean | undefined;
  Blocks?: unknown;
};

/** The arguments of Slack's methods for the text and the blocks. */
export function toContent(
  { Text = "", Format = "markdown", Mentions = false, Blocks }: MessageParams,
  { charsMax }: { charsMax: number },
) {
  const blocks = readBlocks(Blocks);
  if (Text.trim() === "" && (blocks === undefined || blocks.length === 0)) {
    throw new InvalidInputError("text", "is needed, or blocks");
  }
  // Checked before the work: a text of megabytes costs nothing.
  if (Text.length > charsMax) throw tooLong(charsMax);
  const { text, mrkdwn } = formatText(Text, { format: Format, mentions: Mentions });
  if (text.length > charsMax) throw tooLong(charsMax);
  return { text, mrkdwn, ...(blocks !== undefined && { blocks }) };
}

const tooLong = (charsMax: number) =>
  new InvalidInputError(
    "text",
    `is longer than ${charsMax} characters with Slack's escapes; send it in parts`,
  );

function readBlocks(given: unknown): readonly unknown[] | undefined {
  if (given === undefined || given === null) return undefined;
  if (!Array.isArray(given) || given.length > 50) {
    throw new InvalidInputError("blocks", "must be an array of at most 50 blocks");
  }
  return given;
}
