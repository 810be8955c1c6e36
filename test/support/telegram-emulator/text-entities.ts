import { badRequest } from "./api-error.ts";
import { parseHtml } from "./parse-html.ts";
import { parseMarkdown } from "./parse-markdown.ts";
import type { Entity } from "./types.ts";

/** UTF-16 code units. The reference says characters; this count never allows more. */
const charactersMax = 4096;

export type FormattedText = { text: string; entities?: Entity[] };

/** Parses a text of a bot, and finds links, mentions and commands in it. */
export function parseText(
  source: string,
  { parseMode, given }: { parseMode?: string; given?: readonly Entity[] },
): FormattedText {
  const mode = parseMode?.toLowerCase() ?? "";
  if (!["", "html", "markdownv2"].includes(mode)) throw badRequest("unsupported parse_mode");
  const parsed =
    mode === "html"
      ? parseHtml(source)
      : mode === "markdownv2"
        ? parseMarkdown(source)
        : { text: source, entities: [...(given ?? [])] };
  const formatted = trim(parsed);
  if (formatted.text === "") throw badRequest("message text is empty");
  if (formatted.text.length > charactersMax) throw badRequest("message is too long");
  return withFound(formatted.text, formatted.entities);
}

/** The text of a person, in which the client finds links, mentions and commands. */
export const readText = (text: string): FormattedText => withFound(text, []);

/** The position in bytes of UTF-8, which the errors name. */
export const byteOffset = (source: string, at: number) => Buffer.byteLength(source.slice(0, at));

/** Links without a host become plain text. */
export function toLink(url: string): string | undefined {
  if (/^(https?|tg|tonsite|mailto|tel):/i.test(url)) return URL.canParse(url) ? url : undefined;
  return /^[\w-]+(\.[\w-]+)+(\/|$)/.test(url) ? `http://${url}` : undefined;
}

function trim({ text, entities }: { text: string; entities: Entity[] }) {
  const start = text.length - text.trimStart().length;
  const trimmed = text.trim();
  const moved = entities.map((entity) => {
    const from = Math.max(0, entity.offset - start);
    const to = Math.min(trimmed.length, entity.offset + entity.length - start);
    return { ...entity, offset: from, length: to - from };
  });
  return { text: trimmed, entities: moved.filter(({ length }) => length > 0) };
}

const patterns: readonly (readonly [string, RegExp])[] = [
  ["url", /\bhttps?:\/\/[^\s<>"]+[^\s<>".,;:!?)]/gi],
  ["email", /\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b/g],
  ["bot_command", /(?<![\w/@<>])\/[a-z0-9_]{1,32}(?:@\w{3,32})?(?![\w/@<>])/gi],
  ["mention", /(?<![\w@/])@[a-z]\w{2,31}\b/gi],
  ["hashtag", /(?<![\w#])#[\p{L}_][\p{L}\p{N}_]*/gu],
];

function withFound(text: string, given: readonly Entity[]): FormattedText {
  const entities = [...given];
  for (const [type, pattern] of patterns) {
    for (const match of text.matchAll(pattern)) {
      const found = { type, offset: match.index, length: match[0].length };
      if (!entities.some((other) => excludes(other, found))) entities.push(found);
    }
  }
  entities.sort((a, b) => a.offset - b.offset || b.length - a.length);
  return { text, ...(entities.length > 0 && { entities }) };
}

/** Code, links and what is found first keep other entities out. */
function excludes(other: Entity, found: Entity): boolean {
  const style = /^(bold|italic|underline|strikethrough|spoiler|blockquote|expandable_blockquote)$/;
  if (style.test(other.type)) return false;
  return other.offset < found.offset + found.length && found.offset < other.offset + other.length;
}
