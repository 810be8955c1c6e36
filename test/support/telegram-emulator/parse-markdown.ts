import { badRequest } from "./api-error.ts";
import { byteOffset, toLink } from "./text-entities.ts";
import type { Entity } from "./types.ts";

type Open = Entity & { at: number };
type Kind = { type: string; mark: string; name: string };

/** Longer marks first: `__` is read greedily as an underline. */
const kinds: readonly Kind[] = [
  { type: "pre", mark: "```", name: "Pre" },
  { type: "underline", mark: "__", name: "Underline" },
  { type: "spoiler", mark: "||", name: "Spoiler" },
  { type: "bold", mark: "*", name: "Bold" },
  { type: "italic", mark: "_", name: "Italic" },
  { type: "strikethrough", mark: "~", name: "Strikethrough" },
  { type: "code", mark: "`", name: "Code" },
];

const reserved = new Set("_*[]()~`>#+-=|{}.!");

/** Parses MarkdownV2 as the reference describes it, and refuses what it refuses. */
export function parseMarkdown(source: string): { text: string; entities: Entity[] } {
  let text = "";
  let at = 0;
  const open: Open[] = [];
  const entities: Entity[] = [];
  const start = (type: string, more: Partial<Entity> = {}) =>
    open.push({ type, offset: text.length, length: 0, at, ...more });
  const end = (more: Partial<Entity> = {}) => {
    const found = open.pop();
    if (found === undefined) throw new Error("No entity is open.");
    const { at: _, ...entity } = { ...found, ...more };
    entities.push({ ...entity, length: text.length - entity.offset });
  };
  const endQuote = () => {
    const top = open.at(-1);
    if (top?.type !== "blockquote") throw unclosed(source, top);
    end();
  };

  while (at < source.length) {
    const char = source.charAt(at);
    const next = source.charCodeAt(at + 1);
    const top = open.at(-1)?.type;
    const inCode = top === "code" || top === "pre";
    if (char === "\\" && next >= 1 && next <= 126) {
      text += source.charAt(at + 1);
      at += 2;
    } else if (char === "\n" && open.some(({ type }) => type === "blockquote")) {
      if (source.charAt(at + 1) === ">") {
        text += char;
        at += 2;
      } else {
        endQuote();
        text += char;
        at += 1;
      }
    } else if (inCode ? char !== "`" : !reserved.has(char)) {
      text += char;
      at += 1;
    } else if (
      !inCode &&
      (char === ">" || source.startsWith("**>", at)) &&
      isLineStart(source, at)
    ) {
      start("blockquote");
      at += char === ">" ? 1 : 3;
    } else if (top === "blockquote" && /^\|\|(\n|$)/.test(source.slice(at))) {
      end({ type: "expandable_blockquote" });
      at += 2;
    } else if (char === "[") {
      start("text_link");
      at += 1;
    } else if (char === "!" && source.charAt(at + 1) === "[") {
      start("custom_emoji");
      at += 2;
    } else if (char === "]" && (top === "text_link" || top === "custom_emoji")) {
      const link = readLink(source, at + 1);
      const emoji = /^tg:\/\/emoji\?id=(\d+)$/.exec(link.url)?.[1];
      if (top === "custom_emoji" && emoji === undefined)
        throw badRequest("can't parse entities: Custom emoji entity must contain a tg://emoji URL");
      const url = top === "text_link" ? toLink(link.url) : undefined;
      if (emoji !== undefined && top === "custom_emoji") end({ custom_emoji_id: emoji });
      else if (url !== undefined) end({ url });
      else open.pop();
      at = link.end;
    } else {
      const ending = kinds.find(({ type, mark }) => type === top && source.startsWith(mark, at));
      const isItalicEnd = !(top === "italic" && source.startsWith("__", at));
      const kind = kinds.find(({ mark }) => source.startsWith(mark, at));
      if (ending !== undefined && isItalicEnd && (top !== "code" || char === "`")) {
        end();
        at += ending.mark.length;
      } else if (inCode) {
        text += char;
        at += 1;
      } else if (kind !== undefined) {
        const language =
          kind.type === "pre" ? /^[^\s`]+(?=\n)/.exec(source.slice(at + 3))?.[0] : undefined;
        start(kind.type, language === undefined ? {} : { language });
        at += kind.mark.length + (language === undefined ? 0 : language.length);
        if (kind.type === "pre" && source.charAt(at) === "\n") at += 1;
      } else {
        throw badRequest(
          `can't parse entities: Character '${char}' is reserved and must be escaped with the preceding '\\'`,
        );
      }
    }
  }
  if (open.at(-1)?.type === "blockquote") end();
  if (open.length > 0) throw unclosed(source, open.at(-1));
  return { text, entities };
}

const isLineStart = (source: string, at: number) => at === 0 || source.charAt(at - 1) === "\n";

function unclosed(source: string, open: Open | undefined): Error {
  const name = kinds.find(({ type }) => type === open?.type)?.name ?? "TextUrl";
  const offset = byteOffset(source, open?.at ?? 0);
  return badRequest(
    `can't parse entities: Can't find end of ${name} entity at byte offset ${offset}`,
  );
}

/** Reads `(url)`, in which `)` and `\` are escaped. */
function readLink(source: string, from: number): { url: string; end: number } {
  if (source.charAt(from) !== "(") return { url: "", end: from };
  let url = "";
  for (let at = from + 1; at < source.length; at += 1) {
    const char = source.charAt(at);
    if (char === ")") return { url, end: at + 1 };
    if (char === "\\" && at + 1 < source.length) {
      at += 1;
      url += source.charAt(at);
    } else {
      url += char;
    }
  }
  throw badRequest(
    `can't parse entities: Can't find end of a URL at byte offset ${byteOffset(source, from)}`,
  );
}
