import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Keeps texts in memory encrypted with a key of this process, so that a dump of a part of the memory, or a text that
 * the engine has not collected yet, is not enough for the values that are kept for minutes.
 */
export function createMemorySeal() {
  const key = randomBytes(32);
  return {
    seal(text: string): Uint8Array {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv("aes-256-gcm", key, nonce);
      const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
    },
    open(sealed: Uint8Array): string {
      const start = nonceBytes + tagBytes;
      const decipher = createDecipheriv("aes-256-gcm", key, sealed.subarray(0, nonceBytes));
      decipher.setAuthTag(sealed.subarray(nonceBytes, start));
      const text = Buffer.concat([decipher.update(sealed.subarray(start)), decipher.final()]);
      return text.toString("utf8");
    },
  };
}
