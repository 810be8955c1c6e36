import { readSync, writeSync } from "node:fs";
import { prefixBytes, readPrefix, toPrefix } from "./code-frames.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The frames of a process for scripts. It reads and writes without the event loop, because nothing else happens in
 * it. Null at the end of stdin.
 */
export function readFrame(): { header: { kind: string }; body: Uint8Array } | null {
  const prefix = readBytes(prefixBytes);
  if (prefix === null) return null;
  const { headerBytes, bodyBytes } = readPrefix(prefix);
  const header = readBytes(headerBytes);
  const body = readBytes(bodyBytes);
  if (header === null || body === null) return null;
  // The hub has written it.
  return { header: JSON.parse(decoder.decode(header)), body };
}

export function sendFrame(header: object, body: Uint8Array = new Uint8Array()): void {
  const headerText = encoder.encode(JSON.stringify(header));
  const frame = Buffer.concat([toPrefix(headerText, body.length), headerText, body]);
  let written = 0;
  while (written < frame.length) written += writeSync(1, frame, written);
}

function readBytes(length: number): Uint8Array | null {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const read = readSync(0, bytes, filled, length - filled, null);
    if (read === 0) return null;
    filled += read;
  }
  return bytes;
}
