const backslash = "\\".charCodeAt(0);
const letterU = "u".charCodeAt(0);
/** Parsing a text that consists of escapes takes some 10 ns per character. */
const portionChars = 1024 * 1024;

type ParseDeps = { yieldToEventLoop: () => Promise<void> };

/**
 * Parses a valid JSON string in portions: parsing 60 MB of escapes in one go would hold the event loop for
 * some 400 ms.
 */
export async function parseLongText(
  { yieldToEventLoop }: ParseDeps,
  json: string,
): Promise<string> {
  // Without the quotes.
  const last = json.length - 1;
  const parts: string[] = [];
  for (let start = 1; start < last; ) {
    const end = findCut(json, start, Math.min(start + portionChars, last));
    parts.push(String(JSON.parse(`"${json.slice(start, end)}"`)));
    start = end;
    if (start < last) await yieldToEventLoop();
  }
  return parts.join("");
}

/** The last index up to `end` that is not within an escape. `start` is not within one. */
function findCut(json: string, start: number, end: number): number {
  let at = end - 1;
  const atMin = Math.max(start, end - "\\u0000".length);
  while (at >= atMin && json.charCodeAt(at) !== backslash) at -= 1;
  if (at < atMin) return end;
  let first = at;
  while (first > start && json.charCodeAt(first - 1) === backslash) first -= 1;
  const isEscape = (at - first) % 2 === 0;
  if (!isEscape) return end;
  const chars = json.charCodeAt(at + 1) === letterU ? 6 : 2;
  return at + chars <= end ? end : at;
}
