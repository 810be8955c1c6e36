import { hkdfSync } from "node:crypto";
import { HubError } from "../../errors.ts";

/** One master key. Its bytes are not a property, so logs and inspectors cannot show them. */
export type RingKey = {
  /** Identifies the key in tokens and stored values: a uint32 that is derived from the key. */
  readonly id: number;
  /** Derives 32 bytes for one purpose by HKDF-SHA256. The result is shared, so do not modify it. */
  derive(purpose: string, salt: Uint8Array): Uint8Array;
};

/** The keys in use. The sealing key encrypts; all keys decrypt. */
export type KeyRing = {
  readonly sealing: RingKey;
  readonly keys: ReadonlyMap<number, RingKey>;
};

const keyBytes = 32;
/** The number of derived keys that one master key caches. The oldest is removed first. */
const derivedKeysMax = 1_000;

/** Creates a ring of 32-byte keys. The first is the sealing key. Duplicate keys count once. */
export function createKeyRing(keys: readonly Uint8Array[]): KeyRing {
  const [sealing, ...older] = keys.map(createRingKey);
  if (sealing === undefined) throw new Error("A key ring needs at least one key");
  const byId = new Map([[sealing.id, sealing]]);
  for (const key of older) if (!byId.has(key.id)) byId.set(key.id, key);
  return { sealing, keys: byId };
}

/** The id of a 32-byte key in its ring. */
export function toKeyId(bytes: Uint8Array): number {
  return Buffer.from(deriveBytes(bytes, "hub-key-id-v1", new Uint8Array(), 4)).readUInt32BE();
}

/** Formats a key id for display and input: eight hex digits. */
export function formatKeyId(id: number): string {
  return id.toString(16).padStart(8, "0");
}

/**
 * Parses keys in the format of `HUB_ENC_KEY`: comma-separated, each 32 bytes in hex, base64 or
 * base64url. Throws `bad_configuration`, which names the wrong entry by number and never shows its
 * text.
 */
export function parseKeyList(text: string, settingName = "HUB_ENC_KEY"): Uint8Array[] {
  const entries = text.split(",").map((entry) => entry.trim());
  return entries.map((entry, index) => {
    const key = findKeyBytes(entry);
    if (key !== null) return key;
    const which = entries.length === 1 ? "" : `entry ${index + 1} of ${entries.length} `;
    throw new HubError(
      "bad_configuration",
      `${settingName}: ${which}${describeFault(entry)}. A key is 32 random bytes as 64 hex digits or as base64. Create one with "openssl rand -hex 32".`,
    );
  });
}

function createRingKey(bytes: Uint8Array): RingKey {
  if (bytes.length !== keyBytes)
    throw new Error(`A key has ${keyBytes} bytes, not ${bytes.length}`);
  const master = Uint8Array.from(bytes);
  const derived = new Map<string, Uint8Array>();
  return {
    id: toKeyId(master),
    derive(purpose, salt) {
      const name = `${purpose} ${Buffer.from(salt).toString("hex")}`;
      const known = derived.get(name);
      if (known !== undefined) return known;
      const key = deriveBytes(master, purpose, salt, keyBytes);
      const [oldest] = derived.keys();
      if (derived.size >= derivedKeysMax && oldest !== undefined) derived.delete(oldest);
      derived.set(name, key);
      return key;
    },
  };
}

function deriveBytes(key: Uint8Array, info: string, salt: Uint8Array, length: number): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", key, salt, info, length));
}

function findKeyBytes(entry: string): Uint8Array | null {
  if (/^[\dA-Fa-f]{64}$/.test(entry)) return Uint8Array.from(Buffer.from(entry, "hex"));
  if (!/^(?:[\w-]{43}|[A-Za-z\d+/]{43})=?$/.test(entry)) return null;
  const bytes = Buffer.from(entry, "base64url");
  // Extra bits in the last character mean a mistyped key. A wrong key would cause errors only much
  // later.
  const canonical = bytes.toString("base64url");
  const given = entry.replace("=", "").replaceAll("+", "-").replaceAll("/", "_");
  return canonical === given ? Uint8Array.from(bytes) : null;
}

function describeFault(entry: string): string {
  if (entry === "") return "is empty";
  if (/^[\dA-Fa-f]+$/.test(entry)) return `has ${entry.length} hex digits instead of 64`;
  return `is not a 32-byte key in hex or base64 (it has ${entry.length} characters)`;
}
