import { partCharsMin } from "../needles/needle-forms.ts";
import type { Mask } from "./mask.ts";

/**
 * Whether bytes contain a secret, plain or in an encoding that the mask knows, as UTF-8 or UTF-16. What is
 * compressed or drawn is not found. `mask` must be enabled.
 */
export function holdsSecret(
  mask: Pick<Mask, "holdsSecret" | "listSecrets">,
  bytes: Uint8Array,
): boolean {
  if (mask.holdsSecret(new TextDecoder().decode(bytes))) return true;
  // The mask finds ASCII in UTF-16 by itself, because there only zero bytes are between the characters.
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return mask
    .listSecrets()
    .some(({ text }) => text.length >= partCharsMin && !isAscii(text) && holdsWide(content, text));
}

function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}

function holdsWide(content: Buffer, text: string): boolean {
  const little = Buffer.from(text, "utf16le");
  return content.includes(little) || content.includes(Buffer.from(little).swap16());
}
