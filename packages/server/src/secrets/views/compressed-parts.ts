import { gunzipSync } from "node:zlib";
import type { Span } from "../value-tokens/token-format.ts";

/** A part of a text that is compressed, and the text in it. */
export type CompressedPart = Span & { expanded: string };

/** No more of a text is expanded than so many times its length. */
const expansionMax = 4;
/** At least this much is expanded of a short text. */
const expandedCharsMin = 64 * 1024;
/** Each attempt costs some time, also if the data is broken. */
const attemptsMax = 32;

/** The beginning of gzip in base64, which holds the method "deflate". */
const gzipInBase64 = /H4sI[\w+/-]{20,}={0,2}/g;
/** The same of bytes that were read as Latin-1. */
const gzipBytes = "\u001f\u008b\u0008";

/**
 * Expands gzip in base64 inside a text, and a text that is gzip itself. What is longer than the limit is not
 * searched, because a few bytes can expand to gigabytes.
 */
export function* expandCompressed(text: string): Generator<CompressedPart> {
  let left = Math.max(expandedCharsMin, text.length * expansionMax);
  if (text.startsWith(gzipBytes)) {
    const expanded = expand(Buffer.from(text, "latin1"), left);
    if (expanded !== null) yield { start: 0, end: text.length, expanded };
    return;
  }
  if (!text.includes("H4sI")) return;
  let attempts = 0;
  for (const { 0: run, index } of text.matchAll(gzipInBase64)) {
    attempts += 1;
    if (attempts > attemptsMax || left <= 0) return;
    const expanded = expand(Buffer.from(run, "base64"), left);
    if (expanded === null) continue;
    left -= expanded.length;
    yield { start: index, end: index + run.length, expanded };
  }
}

function expand(bytes: Buffer, charsMax: number): string | null {
  try {
    return gunzipSync(bytes, { maxOutputLength: charsMax }).toString("utf8");
  } catch {
    return null;
  }
}
