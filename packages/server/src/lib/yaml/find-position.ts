import { EVENT_ID, type Event, getScalarValue, SCALAR_STYLE } from "js-yaml";

/** The way to a value in the file, such as `["rows", 2, "label"]`. */
export type ValuePath = ReadonlyArray<string | number>;

/** The line of the value at this path, or of the nearest one around it. */
export function findLine(text: string, events: readonly Event[], path: ValuePath): number {
  return toLine(text, findOffset(text, events, path));
}

/** Follows the path as far as the text has it. */
function findOffset(text: string, events: readonly Event[], path: ValuePath): number {
  // The first event is the document.
  let at = 1;
  let offset = readOffset(events[at]) ?? 0;
  for (const part of path) {
    const found = findMember(text, events, at, part);
    if (found === null) break;
    at = found.at;
    offset = readOffset(events[at]) ?? readOffset(events[found.keyAt]) ?? offset;
  }
  return offset;
}

/** The events of a member of the collection at `at`, and of its key. */
function findMember(
  text: string,
  events: readonly Event[],
  at: number,
  part: string | number,
): { at: number; keyAt: number } | null {
  const isMapping = events[at]?.type === EVENT_ID.MAPPING;
  if (!isMapping && events[at]?.type !== EVENT_ID.SEQUENCE) return null;
  let next = at + 1;
  for (let index = 0; next < events.length && events[next]?.type !== EVENT_ID.POP; index += 1) {
    const keyAt = next;
    if (isMapping) next = skip(events, next);
    if (isMapping ? readKey(text, events[keyAt]) === String(part) : index === part) {
      return { at: next, keyAt };
    }
    next = skip(events, next);
  }
  return null;
}

/** The index of the event after the value that begins at `at`. */
function skip(events: readonly Event[], at: number): number {
  let depth = 0;
  for (let next = at; next < events.length; next += 1) {
    const type = events[next]?.type;
    if (type === EVENT_ID.SEQUENCE || type === EVENT_ID.MAPPING) depth += 1;
    if (type === EVENT_ID.POP) depth -= 1;
    if (depth <= 0) return next + 1;
  }
  return events.length;
}

function readKey(text: string, event: Event | undefined): string | null {
  return event?.type === EVENT_ID.SCALAR ? getScalarValue(text, event) : null;
}

/** Null for a value that is not written, such as that of `key:`. */
function readOffset(event: Event | undefined): number | null {
  switch (event?.type) {
    case EVENT_ID.SEQUENCE:
    case EVENT_ID.MAPPING:
      return event.start;
    case EVENT_ID.ALIAS:
      return event.anchorStart;
    case EVENT_ID.SCALAR: {
      if (event.valueStart < 0) return null;
      const { LITERAL_BLOCK, FOLDED_BLOCK } = SCALAR_STYLE;
      // Of a block the value starts in the line after its mark.
      const isBlock = event.style === LITERAL_BLOCK || event.style === FOLDED_BLOCK;
      return isBlock ? Math.max(0, event.valueStart - 1) : event.valueStart;
    }
    default:
      return null;
  }
}

function toLine(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
    line += 1;
  }
  return line;
}
