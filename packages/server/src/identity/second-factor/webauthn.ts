import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import { z } from "zod";
import { isSameText } from "../../lib/text/is-same-text.ts";

/** Web Authentication, level 2, without attestation: what a key is made of is not asked. */

/** The hub as browsers know it: its origin, and the host for which passkeys are made. */
export type RelyingPartyId = { origin: string; host: string };

/** A key's public part, and its algorithm by the number of COSE. */
export type PasskeyKey = { algorithm: number; publicKey: Uint8Array };

/** ECDSA with P-256, Ed25519, RSA: what keys of all makers have. In the order of preference. */
export const passkeyAlgorithms = [-8, -7, -257] as const;

const bytesMax = 4096;
const base64 = z
  .string()
  .max(bytesMax * 2)
  .regex(/^[\w-]*$/)
  .transform((text) => new Uint8Array(Buffer.from(text, "base64url")));

/** What a browser answers when it has made a passkey. The public key comes as the browser has read it. */
export const newPasskeySchema = z.object({
  client_data: base64,
  authenticator_data: base64,
  public_key: base64,
  algorithm: z.int(),
});

/** What a browser answers when a passkey has signed. */
export const passkeyAnswerSchema = z.object({
  credential_id: base64,
  client_data: base64,
  authenticator_data: base64,
  signature: base64,
  /** The user's id, as it was given when the passkey was made. Only passkeys that a browser finds by itself have it. */
  user_handle: base64,
});

export type NewPasskeyAnswer = z.output<typeof newPasskeySchema>;
export type PasskeyAnswer = z.output<typeof passkeyAnswerSchema>;

const clientDataSchema = z.object({
  type: z.string(),
  challenge: z.string(),
  origin: z.string(),
  crossOrigin: z.boolean().optional(),
});

type Expected = { rp: RelyingPartyId; challenge: string };
/** Whether the authenticator must have checked who the person is: where the passkey is the only factor. */
type ExpectedAnswer = Expected & { needsVerification: boolean };

/** The passkey that a browser has made for this challenge; null if the answer is not valid. */
export function readNewPasskey(
  answer: NewPasskeyAnswer,
  expected: Expected,
): (PasskeyKey & { credentialId: Uint8Array; counter: number }) | null {
  if (!isClientData(answer.client_data, "webauthn.create", expected)) return null;
  const data = readAuthenticatorData(answer.authenticator_data);
  if (data === null || !isFor(data, expected.rp) || !data.isPresent) return null;
  const credentialId = data.credentialId;
  if (credentialId === null) return null;
  const { algorithm, public_key: publicKey } = answer;
  if (findKey({ algorithm, publicKey }) === null) return null;
  return { algorithm, publicKey, credentialId, counter: data.counter };
}

/** The counter of a right signature over this challenge; null if the answer is not valid. */
export function checkPasskeyAnswer(
  answer: Omit<PasskeyAnswer, "credential_id" | "user_handle">,
  key: PasskeyKey,
  expected: ExpectedAnswer,
): { counter: number } | null {
  if (!isClientData(answer.client_data, "webauthn.get", expected)) return null;
  const data = readAuthenticatorData(answer.authenticator_data);
  if (data === null || !isFor(data, expected.rp) || !data.isPresent) return null;
  if (expected.needsVerification && !data.isVerified) return null;
  const found = findKey(key);
  if (found === null) return null;
  const hash = createHash("sha256").update(answer.client_data).digest();
  const signed = Buffer.concat([answer.authenticator_data, hash]);
  const digest = key.algorithm === -8 ? null : "sha256";
  return verify(digest, signed, found, answer.signature) ? { counter: data.counter } : null;
}

/** Refuses answers to other challenges, of other sites, and from frames of other sites. */
function isClientData(bytes: Uint8Array, type: string, { rp, challenge }: Expected): boolean {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const data = clientDataSchema.parse(JSON.parse(text));
    const isOwn = data.origin === rp.origin && data.crossOrigin !== true;
    return isOwn && data.type === type && isSameText(data.challenge, challenge);
  } catch {
    return false;
  }
}

type AuthenticatorData = {
  hostHash: Buffer;
  /** A person was there. */
  isPresent: boolean;
  /** The authenticator has checked who: by a PIN, a finger or a face. */
  isVerified: boolean;
  counter: number;
  /** Only of a new passkey. */
  credentialId: Uint8Array | null;
};

/** Section 6.1: hash of the host (32), flags (1), counter (4), and of a new passkey AAGUID (16), length (2) and id. */
function readAuthenticatorData(bytes: Uint8Array): AuthenticatorData | null {
  const data = Buffer.from(bytes);
  if (data.length < 37 || data.length > bytesMax) return null;
  const flags = data.readUInt8(32);
  const has = (bit: number) => (flags & (1 << bit)) !== 0;
  const hasCredential = has(6);
  const idLength = hasCredential && data.length >= 55 ? data.readUInt16BE(53) : 0;
  const credentialId = new Uint8Array(data.subarray(55, 55 + idLength));
  // Section 5.8.3: an id has at most 1023 bytes.
  const isCut = credentialId.length !== idLength || idLength === 0 || idLength > 1023;
  if (hasCredential && isCut) return null;
  return {
    hostHash: data.subarray(0, 32),
    isPresent: has(0),
    isVerified: has(2),
    counter: data.readUInt32BE(33),
    credentialId: hasCredential ? credentialId : null,
  };
}

/** Refuses passkeys of another host, also of one that shares a domain with the hub. */
function isFor({ hostHash }: AuthenticatorData, { host }: RelyingPartyId): boolean {
  return createHash("sha256").update(host).digest().equals(hostHash);
}

/** Null for a key of another kind than its algorithm, and for one that is too weak. */
function findKey({ algorithm, publicKey }: PasskeyKey): KeyObject | null {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey), format: "der", type: "spki" });
    const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
    if (algorithm === -8) return type === "ed25519" ? key : null;
    if (algorithm === -7) return type === "ec" && details?.namedCurve === "prime256v1" ? key : null;
    if (algorithm !== -257 || type !== "rsa") return null;
    const bits = details?.modulusLength ?? 0;
    return bits >= 2048 && bits <= 8192 ? key : null;
  } catch {
    return null;
  }
}

/** The hub's id for passkeys. Null if browsers make none for this address: it needs a name, and https or this machine. */
export function findRelyingPartyId(baseUrl: string): RelyingPartyId | null {
  const { origin, hostname, protocol } = new URL(baseUrl);
  const isAddress = /^[\d.]+$|^\[/.test(hostname);
  const isLocal = hostname === "localhost" || hostname.endsWith(".localhost");
  if (isAddress || (protocol !== "https:" && !isLocal)) return null;
  return { origin, host: hostname };
}
