import { badRequest } from "./api-error.ts";
import { byteOffset, toLink } from "./text-entities.ts";
import type { Entity } from "./types.ts";

type Open = { tag: string; offset: number; at: number; entity: Partial<Entity> | null };

const simple: Readonly<Record<string, string>> = {
  b: "bold",
  strong: "bold",
  i: "italic",
  em: "italic",
  u: "underline",
  ins: "underline",
  s: "strikethrough",
  strike: "strikethrough",
  del: "strikethrough",
  "tg-spoiler": "spoiler",
  code: "code",
  pre: "pre",
};

const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"' };

/** Parses the HTML of messages: the tags of the reference, and no others. */
export function parseHtml(source: string): { text: string; entities: Entity[] } {
  let text = "";
  let at = 0;
  const open: Open[] = [];
  const entities: Entity[] = [];
  const refuse = (what: string, offset = at) =>
    badRequest(`can't parse entities: ${what} at byte offset ${byteOffset(source, offset)}`);

  while (at < source.length) {
    const char = source.charAt(at);
    if (char === "&") {
      const found = /^&(?:#(\d+)|#x([0-9a-f]+)|([a-z]+));/i.exec(source.slice(at, at + 12));
      const decoded = found === null ? null : decode(found);
      text += decoded ?? char;
      at += decoded === null || found === null ? 1 : found[0].length;
    } else if (char !== "<") {
      text += char;
      at += 1;
    } else if (source.charAt(at + 1) === "/") {
      const close = source.indexOf(">", at);
      if (close === -1) throw refuse("Unclosed end tag");
      const tag = source
        .slice(at + 2, close)
        .trim()
        .toLowerCase();
      const top = open.pop();
      if (top === undefined) throw refuse("Unexpected end tag");
      if (tag !== "" && tag !== top.tag)
        throw unmatched(source, at, `expected "</${top.tag}>", found "</${tag}>"`);
      addEntity(top);
      at = close + 1;
    } else {
      const close = source.indexOf(">", at);
      if (close === -1) throw refuse("Unclosed start tag");
      const [, name = "", rest = ""] =
        /^([^\s]*)([\s\S]*)$/.exec(source.slice(at + 1, close)) ?? [];
      const tag = name.toLowerCase();
      open.push({ tag, offset: text.length, at, entity: toEntity(tag, readAttributes(rest)) });
      at = close + 1;
    }
  }
  const left = open.at(-1);
  if (left !== undefined)
    throw badRequest(
      `can't parse entities: Can't find end tag corresponding to start tag "${left.tag}"`,
    );
  return { text, entities };

  function addEntity(top: Open): void {
    const parent = open.at(-1);
    const language = top.entity?.language;
    if (top.tag === "code" && language !== undefined && parent?.tag === "pre" && parent.entity) {
      parent.entity.language = language;
      return;
    }
    const entity = top.entity;
    if (entity?.type === undefined) return;
    if (entity.type === "text_link" && entity.url === undefined) return;
    const { language: _, ...plain } = entity;
    const kept = entity.type === "pre" ? entity : plain;
    entities.push({
      type: entity.type,
      ...kept,
      offset: top.offset,
      length: text.length - top.offset,
    });
  }

  function toEntity(tag: string, attributes: Map<string, string>): Partial<Entity> {
    const type = simple[tag];
    if (type !== undefined) {
      const language = /^language-(.+)$/.exec(attributes.get("class") ?? "")?.[1];
      return { type, ...(tag === "code" && language !== undefined && { language }) };
    }
    if (tag === "span") {
      if (attributes.get("class") === "tg-spoiler") return { type: "spoiler" };
      throw refuse('Tag "span" must have class "tg-spoiler"');
    }
    if (tag === "a") {
      const url = toLink(attributes.get("href") ?? "");
      return { type: "text_link", ...(url !== undefined && { url }) };
    }
    if (tag === "blockquote")
      return { type: attributes.has("expandable") ? "expandable_blockquote" : "blockquote" };
    if (tag === "tg-emoji")
      return { type: "custom_emoji", custom_emoji_id: attributes.get("emoji-id") ?? "" };
    throw refuse(`Unsupported start tag "${tag}"`);
  }
}

function unmatched(source: string, at: number, what: string): Error {
  return badRequest(
    `can't parse entities: Unmatched end tag at byte offset ${byteOffset(source, at)}, ${what}`,
  );
}

function decode([, decimal, hex, name]: RegExpExecArray): string | null {
  if (name !== undefined) return named[name] ?? null;
  const code = decimal !== undefined ? Number(decimal) : Number.parseInt(hex ?? "", 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : null;
}

function readAttributes(source: string): Map<string, string> {
  const found = source.matchAll(
    /([a-z][a-z0-9-]*)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"']+)))?/gi,
  );
  const decodeNames = (value: string) =>
    value.replace(/&(lt|gt|amp|quot);/g, (_, name) => named[name] ?? "");
  return new Map(
    [...found].map(([, name = "", a, b, c]) => [
      name.toLowerCase(),
      decodeNames(a ?? b ?? c ?? ""),
    ]),
  );
}
