import { InvalidInputError, wick } from "@hub/connector";
import { type FormattedText, parseMarkdown } from "../format/parse-markdown.ts";
import { messageCharsMax, messageEntitiesMax, splitText } from "../format/split-text.ts";

/** Ten messages. Markup and addresses of links do not count as characters of a message. */
const sourceCharsMax = 50_000;
export const partsMax = 10;

export const contentFields = {
  Text: wick("textarea;required;desc=The text, as Markdown unless format says otherwise."),
  Format: wick(
    "dropdown=markdown|plain;default=markdown;desc=markdown: **bold**, *italic*, `code`, links, lists, quotes and blocks of code. plain: the text as it is.",
  ),
  LinkPreview: wick.bool("default=true;desc=Show a preview of the first link."),
};

export const silentField = wick.bool("default=false;desc=Without a sound for its readers.");

type Content = { Text: string; Format: "markdown" | "plain" };

export function toFormattedText({ Text, Format }: Content): FormattedText {
  if (Text.length > sourceCharsMax) throw tooLong(sourceCharsMax);
  const formatted = Format === "plain" ? { text: Text, entities: [] } : parseMarkdown(Text);
  if (formatted.text.trim() === "") throw new InvalidInputError("text", "must not be empty");
  return formatted;
}

/** The messages that a text becomes. */
export function toParts(content: Content): FormattedText[] {
  const parts = splitText(toFormattedText(content));
  if (parts.length > partsMax) {
    throw parts.some(({ entities }) => entities.length === messageEntitiesMax)
      ? tooStyled(partsMax * messageEntitiesMax)
      : tooLong(partsMax * messageCharsMax);
  }
  return parts;
}

/** For a message that cannot become several. */
export function toSinglePart(content: Content): FormattedText {
  const formatted = toFormattedText(content);
  if (formatted.text.trim().length > messageCharsMax) throw tooLong(messageCharsMax);
  if (formatted.entities.length > messageEntitiesMax) throw tooStyled(messageEntitiesMax);
  return formatted;
}

const tooLong = (charsMax: number) =>
  new InvalidInputError("text", `must have at most ${charsMax} characters`);

const tooStyled = (entitiesMax: number) =>
  new InvalidInputError("text", `must have at most ${entitiesMax} links and styled texts`);

export function toChatId(given: string): number | string {
  if (/^-?\d{1,16}$/.test(given)) return Number(given);
  if (/^@\w{4,32}$/.test(given)) return given;
  throw new InvalidInputError("channel_id", "must be the id of a chat, or @ and a public name");
}

export function toMessageId(path: string, given: string): number {
  if (/^\d{1,10}$/.test(given)) return Number(given);
  throw new InvalidInputError(path, "must be the id of a message");
}
