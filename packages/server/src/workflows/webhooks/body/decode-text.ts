import { isUtf8 } from "node:buffer";
import { toBytesText } from "@hub/connector";
import { HubError } from "../../../errors.ts";
import { cutLine } from "../../../lib/text/cut-line.ts";

/** A label of the WHATWG's encoding standard. */
type Encoding = NonNullable<ConstructorParameters<typeof TextDecoder>[0]>;

/** Decoding some of the other charsets takes 70 ms per MiB. */
const otherBytesMax = 1024 * 1024;
const shownCharsMax = 64;

/** Throws `unsupported_media_type` for a charset that the hub does not know, and `body_too_large` for one that is slow. */
export function checkCharset(charset: string | null, bytes: number): void {
  const name = findEncoding(charset);
  if (name === null) {
    throw new HubError(
      "unsupported_media_type",
      `The hub does not know the charset "${cutLine(charset ?? "", shownCharsMax)}" of the Content-Type. Send the body in UTF-8.`,
    );
  }
  if (name === "utf-8" || bytes <= otherBytesMax) return;
  throw new HubError(
    "body_too_large",
    `A body in ${name} must not be larger than ${toBytesText(otherBytesMax)}. Send it in UTF-8.`,
  );
}

/** Decoding bytes that are not UTF-8 takes 70 ms per MiB. */
export const brokenBytesMax = 1024 * 1024;

/**
 * The text of bytes, without a byte order mark. What is not valid becomes U+FFFD; of more than `exactBytesMax` that is
 * not UTF-8, every byte beyond ASCII.
 */
export function decodeText(
  raw: Uint8Array,
  charset: string | null,
  exactBytesMax = brokenBytesMax,
): string {
  const name = findEncoding(charset) ?? "utf-8";
  if (name === "utf-8" && raw.byteLength > exactBytesMax && !isUtf8(raw)) return toAsciiText(raw);
  return new TextDecoder(name).decode(raw);
}

function toAsciiText(raw: Uint8Array): string {
  const units = new Uint16Array(raw.byteLength);
  for (let at = 0; at < raw.byteLength; at += 1) {
    const byte = raw[at] ?? 0;
    units[at] = byte < 0x80 ? byte : 0xfffd;
  }
  return Buffer.from(units.buffer).toString("utf16le");
}

/** The same; null if the bytes are not valid. */
export function decodeValidText(raw: Uint8Array, charset: string | null): string | null {
  const name = findEncoding(charset) ?? "utf-8";
  if (name === "utf-8") return isUtf8(raw) ? decodeText(raw, null) : null;
  try {
    return new TextDecoder(name, { fatal: true }).decode(raw);
  } catch {
    return null;
  }
}

/** The name of a charset in the WHATWG's encoding standard, which all labels of it have; null if it is unknown. */
export function findEncoding(charset: string | null): Encoding | null {
  if (charset === null || charset === "") return "utf-8";
  try {
    // Safe: it throws for labels that are none, and `encoding` is the name of one.
    return new TextDecoder(charset as Encoding).encoding as Encoding;
  } catch {
    return null;
  }
}

/** Whether it writes each letter of ASCII in two bytes. */
export function isWideCharset(charset: string | null): boolean {
  const name = findEncoding(charset);
  return name === "utf-16le" || name === "utf-16be";
}

export function toBuffer({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
