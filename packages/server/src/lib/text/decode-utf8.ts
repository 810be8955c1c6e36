import { isUtf8 } from "node:buffer";

/**
 * Decodes UTF-8 without a byte order mark; null if it is invalid. Lenient decoding would change the
 * text by inserting U+FFFD.
 */
export function decodeUtf8(bytes: Uint8Array): string | null {
  if (!isUtf8(bytes)) return null;
  const { buffer, byteOffset, byteLength } = bytes;
  const text = Buffer.from(buffer, byteOffset, byteLength).toString("utf8");
  return text.startsWith("\ufeff") ? text.slice(1) : text;
}
