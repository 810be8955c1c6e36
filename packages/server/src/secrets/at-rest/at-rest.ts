import { randomBytes } from "node:crypto";
import { HubError } from "../../errors.ts";
import { createGcmSiv } from "../keys/gcm-siv.ts";
import { formatKeyId, type KeyRing, type RingKey } from "../keys/key-ring.ts";

/**
 * The database field of a secret. A stored secret cannot be decrypted if it was copied to another
 * field. A secret of a user is sealed with a key that is derived for this user alone.
 */
export type SecretLocation = { table: string; row: string; field: string; userId?: string };

const purpose = "hub-rest-v1";
const userPurpose = "hub-rest-user-v1";
/**
 * The first byte of what is stored: a secret, the reference to one that is kept outside the hub, or the id of the reference
 * to one in a secret manager.
 */
const versions = { secret: 1, reference: 2, managed: 3 } as const;
const headerBytes = 5;
const nonceBytes = 12;
const tagBytes = 16;
const noSalt = new Uint8Array();
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** version(1) ‖ key id(4) ‖ nonce(12) ‖ AES-256-GCM-SIV(text), bound to the field. */
export function sealAtRest(ring: KeyRing, location: SecretLocation, text: string): Uint8Array {
  return seal(ring, location, { kind: "secret", text });
}

/**
 * Seals the reference to a secret that is kept outside the hub. No text that is sealed as a secret opens as a
 * reference, so only a caller of this function makes one.
 */
export function sealReference(ring: KeyRing, location: SecretLocation, text: string): Uint8Array {
  return seal(ring, location, { kind: "reference", text });
}

/**
 * Seals the id of a reference that an admin made to a secret in a manager. As {@link sealReference}, only a caller of
 * this function makes one.
 */
export function sealManaged(ring: KeyRing, location: SecretLocation, id: string): Uint8Array {
  return seal(ring, location, { kind: "managed", text: id });
}

/** Seals what is stored with the sealing key of the ring. Throws as {@link openStored} does. */
export function resealAtRest(ring: KeyRing, location: SecretLocation, sealed: Uint8Array) {
  return seal(ring, location, openStored(ring, location, sealed));
}

function seal(ring: KeyRing, location: SecretLocation, { kind, text }: Stored): Uint8Array {
  const header = toHeader(ring.sealing.id, kind);
  const nonce = randomBytes(nonceBytes);
  const key = deriveFor(location, ring.sealing);
  const cipher = createGcmSiv(key, nonce, toBoundData(header, location));
  const sealed = cipher.encrypt(Buffer.from(text, "utf8"));
  return Uint8Array.from(Buffer.concat([header, nonce, sealed]));
}

/** Decrypts a stored secret. Throws as {@link openStored} does, and for a reference. */
export function openAtRest(ring: KeyRing, location: SecretLocation, sealed: Uint8Array): string {
  const { kind, text } = openStored(ring, location, sealed);
  if (kind === "secret") return text;
  if (kind === "managed") {
    throw new HubError(
      "bad_request",
      `The secret "${location.field}" is kept in a secret manager. Change it there, or set a value.`,
    );
  }
  throw new HubError(
    "bad_request",
    `The secret "${location.field}" is kept outside the hub, at ${text}. Change it there, or set a value.`,
  );
}

function toHeader(keyId: number, kind: Stored["kind"]): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(versions[kind], 0);
  header.writeUInt32BE(keyId, 1);
  return header;
}

/**
 * The first bytes of each secret that this key encrypted. A query compares them, where the secrets are too many or too
 * large to be read.
 */
export function toSealedStart(keyId: number): Uint8Array {
  return Uint8Array.from(toHeader(keyId, "secret"));
}

/** The length of {@link toSealedStart}. */
export const sealedStartBytes = headerBytes;

/** The key of a secret by its first bytes: see {@link toSealedStart}. */
export function readStartKeyId(start: Uint8Array): number {
  return Buffer.from(start).readUInt32BE(1);
}

/** What is stored for a secret field. */
type Stored = { kind: keyof typeof versions; text: string };

export function isReference(sealed: Uint8Array): boolean {
  return sealed[0] === versions.reference;
}

/** Whether it is the id of a reference to a secret in a manager. */
export function isManaged(sealed: Uint8Array): boolean {
  return sealed[0] === versions.managed;
}

/** Whether the secret itself is kept outside the hub. */
export function isOutside(sealed: Uint8Array): boolean {
  return isReference(sealed) || isManaged(sealed);
}

function toKind(sealed: Uint8Array): Stored["kind"] {
  if (isManaged(sealed)) return "managed";
  return isReference(sealed) ? "reference" : "secret";
}

/**
 * Decrypts what is stored. Throws `bad_configuration` with advice if the ring does not have its
 * key, or if the bytes were altered or belong to another field.
 */
export function openStored(ring: KeyRing, location: SecretLocation, sealed: Uint8Array): Stored {
  const keyId = findKeyId(sealed);
  if (keyId === null) throw toUnreadable(location);
  const key = ring.keys.get(keyId);
  if (key === undefined) throw toKeyMissing(location, keyId);
  const header = sealed.subarray(0, headerBytes);
  const nonce = sealed.subarray(headerBytes, headerBytes + nonceBytes);
  const cipher = createGcmSiv(deriveFor(location, key), nonce, toBoundData(header, location));
  try {
    const text = utf8.decode(cipher.decrypt(sealed.subarray(headerBytes + nonceBytes)));
    return { kind: toKind(sealed), text };
  } catch (cause) {
    throw toUnreadable(location, cause);
  }
}

/** The id of the key that encrypted a stored secret; null if the bytes are not a stored secret. */
export function findKeyId(sealed: Uint8Array): number | null {
  const isStored =
    sealed.length >= headerBytes + nonceBytes + tagBytes &&
    (sealed[0] === versions.secret || isOutside(sealed));
  if (!isStored) return null;
  // Without a copy: all rows are checked when they are read.
  const [first = 0, second = 0, third = 0, fourth = 0] = sealed.subarray(1, headerBytes);
  return ((first << 24) | (second << 16) | (third << 8) | fourth) >>> 0;
}

function deriveFor({ userId }: SecretLocation, key: RingKey): Uint8Array {
  return userId === undefined
    ? key.derive(purpose, noSalt)
    : key.derive(userPurpose, Buffer.from(userId, "utf8"));
}

/** Each name is preceded by its length, so that two fields never give the same bytes. */
function toBoundData(header: Uint8Array, location: SecretLocation): Uint8Array {
  const names = [location.table, location.row, location.field].flatMap((name) => {
    const bytes = Buffer.from(name, "utf8");
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return [length, bytes];
  });
  return Buffer.concat([header, ...names]);
}

function toKeyMissing(location: SecretLocation, keyId: number): HubError {
  return new HubError(
    "bad_configuration",
    `The stored secret "${location.field}" was encrypted with the key ${formatKeyId(keyId)}, which the hub does not have. An admin can put that key back (in HUB_ENC_KEY or the key file) or set the secret again.`,
  );
}

function toUnreadable(location: SecretLocation, cause?: unknown): HubError {
  return new HubError(
    "bad_configuration",
    `The stored secret "${location.field}" cannot be opened: it was altered, or copied from another field. An admin can set it again.`,
    { cause },
  );
}
