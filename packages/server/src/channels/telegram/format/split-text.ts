import type { FormattedText, TextEntity } from "./parse-markdown.ts";

/** "1-4096 characters after entities parsing". UTF-16 code units never count too few. */
export const messageCharsMax = 4_096;

/** Telegram ignores further styles and links of a message. */
export const messageEntitiesMax = 100;

/**
 * Cuts a text into messages of at most so many characters and entities: after a paragraph if possible, else after a
 * line or a word.
 */
export function splitText({ text, entities }: FormattedText): FormattedText[] {
  const parts: FormattedText[] = [];
  const sorted = [...entities].sort(byOffset);
  // Those that reach into the next part, in the order of their beginnings.
  let open: TextEntity[] = [];
  let [start, next] = [0, 0];
  for (;;) {
    // Only as many as a part looks at: all would cost the square of their number.
    const nearest = [...open, ...sorted.slice(next, next + messageEntitiesMax + 1)];
    const limit = Math.min(start + messageCharsMax, findEntityLimit(nearest, start));
    const end = limit >= text.length ? text.length : findCut(text, start, limit);
    const first = next;
    while (next < sorted.length && (sorted[next]?.offset ?? end) < end) next += 1;
    const begun = [...open, ...sorted.slice(first, next)];
    parts.push(toPart(text, begun, start, end));
    if (end === text.length) break;
    open = begun.filter(({ offset, length }) => offset + length > end);
    start = end;
  }
  return parts.filter((part) => part.text.trim() !== "");
}

const byOffset = (one: TextEntity, other: TextEntity) =>
  one.offset - other.offset || other.length - one.length;

/** Where the first entity begins that does not fit into a message from `start`. */
function findEntityLimit(entities: readonly TextEntity[], start: number): number {
  const next = entities[messageEntitiesMax];
  // Styles that all begin here cannot be parted: those inside are left out.
  return next === undefined || next.offset <= start ? Number.POSITIVE_INFINITY : next.offset;
}

function findCut(text: string, start: number, end: number): number {
  // A part that is nearly empty looks like a mistake.
  const least = (end - start) / 2;
  const part = text.slice(start, end);
  for (const border of ["\n\n", "\n", " "]) {
    const found = part.lastIndexOf(border);
    if (found >= least) return start + found + border.length;
  }
  const isPair = /[\uD800-\uDBFF]/.test(text[end - 1] ?? "");
  return isPair && end - 1 > start ? end - 1 : end;
}

function toPart(
  text: string,
  entities: readonly TextEntity[],
  start: number,
  end: number,
): FormattedText {
  const inside = entities.flatMap((entity) => {
    const from = Math.max(entity.offset, start);
    const to = Math.min(entity.offset + entity.length, end);
    return to > from ? [{ ...entity, offset: from - start, length: to - from }] : [];
  });
  return { text: text.slice(start, end), entities: inside.slice(0, messageEntitiesMax) };
}
