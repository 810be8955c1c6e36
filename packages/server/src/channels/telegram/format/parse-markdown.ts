import type { TextStyle as MarkdownStyle } from "../../markdown/markdown-writer.ts";
import { walkMarkdown } from "../../markdown/walk-markdown.ts";

/** Styles of a text, as Telegram takes them: offsets and lengths count UTF-16 code units. */
export type TextEntity =
  | { type: TextStyle; offset: number; length: number }
  | { type: "pre"; offset: number; length: number; language?: string }
  | { type: "text_link"; offset: number; length: number; url: string };

type TextStyle = MarkdownStyle | "code" | "blockquote";

/** Entities are in the order of their beginnings, and an outer one is before those inside. */
export type FormattedText = { text: string; entities: TextEntity[] };

/**
 * Reads the Markdown that models write: emphasis, code, links, headings, lists and quotes. What is
 * not Markdown stays as it is, so no text is refused. Styles are entities beside the text, so
 * nothing needs an escape. The work is linear in the length.
 */
export function parseMarkdown(source: string): FormattedText {
  const pieces: string[] = [];
  let offset = 0;
  const entities: TextEntity[] = [];
  const opened: TextEntity[] = [];
  const add = (text: string) => {
    pieces.push(text);
    offset += text.length;
  };
  const open = (entity: TextEntity) => {
    entities.push(entity);
    opened.push(entity);
  };
  const close = () => {
    const entity = opened.pop();
    if (entity !== undefined) entity.length = offset - entity.offset;
  };
  const addWhole = (text: string, entity: TextEntity) => {
    open(entity);
    add(text);
    close();
  };
  walkMarkdown(
    source,
    {
      text: (text) => add(text),
      open: (style) => open({ type: style === "quote" ? "blockquote" : style, offset, length: 0 }),
      close,
      openLink: (url) =>
        open({ type: "text_link", url: url.replace(/\s/g, encodeURIComponent), offset, length: 0 }),
      closeLink: close,
      code: (text) => addWhole(text, { type: "code", offset, length: 0 }),
      codeBlock(text, { language, indent }) {
        const lines = indent === "" ? text : text.split("\n").join(`\n${indent}`);
        addWhole(lines, { type: "pre", offset, length: 0, ...(language !== null && { language }) });
      },
      breakLine: () => add("\n"),
      begin() {},
    },
    { isLink: isFollowed },
  );
  const text = pieces.join("");
  return { text, entities: entities.filter((entity) => isNeeded(entity, text)) };
}

/** Telegram itself makes links of addresses. */
function isNeeded(entity: TextEntity, text: string): boolean {
  const { offset, length } = entity;
  if (length === 0) return false;
  return entity.type !== "text_link" || text.slice(offset, offset + length) !== entity.url;
}

const urlCharsMax = 2_048;

function isFollowed(url: string): boolean {
  return url.length <= urlCharsMax && /^(https?|tg|mailto):/i.test(url) && URL.canParse(url);
}
