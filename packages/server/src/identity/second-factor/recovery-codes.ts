import { createHash, randomBytes } from "node:crypto";

/** Crockford's base32: no I, L, O and U. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** 80 bits, so that a fast hash is enough. */
const charsCount = 16;
export const recoveryCodesCount = 10;

/** New codes, which are shown once and never stored. */
export function createRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodesCount }, createCode);
}

function createCode(): string {
  const chars = [...randomBytes(charsCount)].map((byte) => alphabet.charAt(byte % 32)).join("");
  return chars.replace(/.{4}(?=.)/g, "$&-");
}

/** The hash of a code as it was typed, in any case, with or without hyphens. Null if it is none. */
export function readRecoveryCode(userId: string, typed: string): Uint8Array | null {
  if (typed.length > 60) return null;
  const chars = typed
    .replaceAll(/[\s‐-―−-]/g, "")
    .toUpperCase()
    // As Crockford reads them.
    .replaceAll(/[IL]/g, "1")
    .replaceAll("O", "0");
  return /^[0-9A-HJKMNP-TV-Z]{16}$/.test(chars) ? hashRecoveryCode(userId, chars) : null;
}

/** The user's id is a part of it, so that a stored hash is of no use for another user. */
function hashRecoveryCode(userId: string, chars: string): Uint8Array {
  return Uint8Array.from(
    createHash("sha256").update(`hub-recovery-v1 ${userId} ${chars}`).digest(),
  );
}
