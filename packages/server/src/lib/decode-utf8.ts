import { isUtf8 } from "node:buffer";

/**
 * The text that bytes stand for, without a byte order mark; null when they are no UTF-8. Decoding
 * that puts U+FFFD in place of what it cannot read would hand on another text than was sent.
 */
export function decodeUtf8(bytes: Uint8Array): string | null {
  if (!isUtf8(bytes)) return null;
  const { buffer, byteOffset, byteLength } = bytes;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("utf8");
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
