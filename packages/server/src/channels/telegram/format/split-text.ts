import type { FormattedText } from "./parse-markdown.ts";

/** "1-4096 characters after entities parsing". UTF-16 code units never count too few. */
export const messageCharsMax = 4_096;

/** Cuts a text into messages: after a paragraph if possible, else after a line or a word. */
export function splitText({ text, entities }: FormattedText): FormattedText[] {
  const parts: FormattedText[] = [];
  let start = 0;
  while (text.length - start > messageCharsMax) {
    const end = findCut(text, start);
    parts.push(toPart(text, entities, start, end));
    start = end;
  }
  parts.push(toPart(text, entities, start, text.length));
  return parts.filter((part) => part.text.trim() !== "");
}

function findCut(text: string, start: number): number {
  const end = start + messageCharsMax;
  // A part that is nearly empty looks like a mistake.
  const least = start + messageCharsMax / 2;
  for (const border of ["\n\n", "\n", " "]) {
    const found = text.lastIndexOf(border, end - border.length);
    if (found >= least) return found + border.length;
  }
  const isPair = /[\uD800-\uDBFF]/.test(text[end - 1] ?? "");
  return isPair ? end - 1 : end;
}

function toPart(
  text: string,
  entities: FormattedText["entities"],
  start: number,
  end: number,
): FormattedText {
  return {
    text: text.slice(start, end),
    entities: entities.flatMap((entity) => {
      const from = Math.max(entity.offset, start);
      const to = Math.min(entity.offset + entity.length, end);
      return to > from ? [{ ...entity, offset: from - start, length: to - from }] : [];
    }),
  };
}
