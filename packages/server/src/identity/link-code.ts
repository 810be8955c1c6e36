import { createHash, randomBytes } from "node:crypto";

/** Crockford's base32: no I, L, O and U. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const charsCount = 8;

/** A new code with which a chat account is linked. `code` is shown once and never stored. */
export function createLinkCode(): { code: string; codeHash: Uint8Array } {
  for (;;) {
    const chars = [...randomBytes(charsCount)].map((byte) => alphabet.charAt(byte % 32)).join("");
    // Otherwise it could be a word, such as FEEDBACK. 0 and 1 are also read as letters.
    if (!/[2-9]/.test(chars)) continue;
    const code = `${chars.slice(0, 4)}-${chars.slice(4)}`;
    return { code, codeHash: hashCode(chars) };
  }
}

/**
 * The hash of a text that a person sent as a code: in any case, with or without the hyphen, which
 * phones replace by other dashes. Null for a text that has not the form of a code.
 */
export function readLinkCode(text: string): Uint8Array | null {
  if (text.length > 100) return null;
  const parts = /^[`*_"'“”]*([0-9a-z]{4})[-‐-―−]?([0-9a-z]{4})[`*_"'“”.]*$/i.exec(text.trim());
  if (parts === null) return null;
  // As Crockford reads them.
  const upper = `${parts[1]}${parts[2]}`.toUpperCase();
  const chars = upper.replace(/[IL]/g, "1").replaceAll("O", "0");
  return /[2-9]/.test(chars) && !chars.includes("U") ? hashCode(chars) : null;
}

function hashCode(chars: string): Uint8Array {
  return createHash("sha256").update(`chat-link ${chars}`).digest();
}
