import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";

const purpose = "hub-oauth-artifact-v1";
const cipherName = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** The lookup key of an artifact: the hash of an id that only its holder has. */
export function hashArtifactId(model: string, id: string): Uint8Array {
  return createHash("sha256").update(`${model}:${id}`).digest();
}

/**
 * nonce ‖ tag ‖ AES-256-GCM(payload), with a key derived from the id: a reader of the database
 * without the id learns neither the code's challenge nor the state that a client sent.
 */
export function sealArtifact(model: string, id: string, payload: unknown): Uint8Array {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(cipherName, deriveKey(model, id), nonce);
  const sealed = Buffer.concat([cipher.update(JSON.stringify(payload), "utf8"), cipher.final()]);
  return Uint8Array.from(Buffer.concat([nonce, cipher.getAuthTag(), sealed]));
}

/** Throws if the bytes were altered or belong to another id. */
export function openArtifact(model: string, id: string, sealed: Uint8Array): unknown {
  const nonce = sealed.subarray(0, nonceBytes);
  const decipher = createDecipheriv(cipherName, deriveKey(model, id), nonce);
  decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
  const text = decipher.update(sealed.subarray(nonceBytes + tagBytes));
  return JSON.parse(Buffer.concat([text, decipher.final()]).toString("utf8"));
}

function deriveKey(model: string, id: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", id, model, purpose, 32));
}
