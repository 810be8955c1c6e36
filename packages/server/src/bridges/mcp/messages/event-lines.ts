import { createByteCollector } from "../../../lib/streams/collect-bytes.ts";

/** Cuts the chunks of a stream into lines. */
export type EventLines = {
  add(chunk: Uint8Array): void;
  /** The next complete line without its end, as Latin-1; null if more bytes are needed. */
  next(): string | null;
  /** The bytes of the line that is not complete yet. */
  restBytes(): number;
};

const lineFeed = "\n";
const carriageReturn = "\r";

/** Lines end with a line feed, a carriage return, or both. */
export function createEventLines(): EventLines {
  let text = "";
  let at = 0;
  /** The next ends of either kind from `at` on; behind the text if there is none. */
  let feedAt = 0;
  let returnAt = 0;
  /** The line began in an earlier chunk. */
  let begun = createByteCollector();
  let begunBytes = 0;
  let skipsFeed = false;

  function findEnd(end: string, from: number): number {
    const found = text.indexOf(end, from);
    return found === -1 ? text.length : found;
  }

  function keep(part: string): void {
    if (part === "") return;
    begun.add(Buffer.from(part, "latin1"));
    begunBytes += part.length;
  }

  function join(last: string): string {
    if (begunBytes === 0) return last;
    keep(last);
    const bytes = begun.take();
    begun = createByteCollector();
    begunBytes = 0;
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
  }

  return {
    add(chunk) {
      text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString("latin1");
      at = skipsFeed && text.startsWith(lineFeed) ? 1 : 0;
      if (text !== "") skipsFeed = false;
      feedAt = findEnd(lineFeed, at);
      returnAt = findEnd(carriageReturn, at);
    },
    next() {
      const end = Math.min(feedAt, returnAt);
      if (end === text.length) {
        keep(text.slice(at));
        text = "";
        at = feedAt = returnAt = 0;
        return null;
      }
      const line = join(text.slice(at, end));
      at = end + 1;
      if (end === returnAt) {
        if (at === text.length) skipsFeed = true;
        else if (feedAt === at) at += 1;
      }
      // Each is searched again only behind itself, so that the text is read once for each of them.
      if (feedAt < at) feedAt = findEnd(lineFeed, at);
      if (returnAt < at) returnAt = findEnd(carriageReturn, at);
      return line;
    },
    restBytes: () => begunBytes,
  };
}
