import type { Mask } from "./mask.ts";

/**
 * Whether bytes contain a secret, plain or in an encoding that the mask knows, as UTF-8 or UTF-16. What is
 * compressed or drawn is not found.
 */
export function holdsSecret(mask: Pick<Mask, "holdsSecret">, bytes: Uint8Array): boolean {
  const text = new TextDecoder().decode(bytes);
  if (mask.holdsSecret(text)) return true;
  // In UTF-16, the characters of most secrets are separated by zero bytes.
  return text.includes("\0") && mask.holdsSecret(text.replaceAll("\0", ""));
}
