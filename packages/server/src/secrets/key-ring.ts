import { hkdfSync } from "node:crypto";
import { HubError } from "../errors.ts";

/** One master key. Its bytes stay inside: neither a log nor an inspector can reach them. */
export type RingKey = {
  /** Names the key in tokens and stored values: a uint32 computed from the key itself. */
  readonly id: number;
  /** 32 bytes by HKDF-SHA256 for one purpose. Shared between callers: not to be written to. */
  derive(purpose: string, salt: Uint8Array): Uint8Array;
};

/** The keys in use: one seals, all open. */
export type KeyRing = {
  readonly sealing: RingKey;
  readonly keys: ReadonlyMap<number, RingKey>;
};

const keyBytes = 32;
/** Derived keys that one master key keeps at hand; past it the oldest goes. */
const derivedKeysMax = 1_000;

/** The ring of these 32-byte keys; the first seals. The same key given twice counts once. */
export function createKeyRing(keys: readonly Uint8Array[]): KeyRing {
  const [sealing, ...older] = keys.map(createRingKey);
  if (sealing === undefined) throw new Error("A key ring needs at least one key");
  const byId = new Map([[sealing.id, sealing]]);
  for (const key of older) if (!byId.has(key.id)) byId.set(key.id, key);
  return { sealing, keys: byId };
}

/** The id of a 32-byte key, as its ring will name it. */
export function toKeyId(bytes: Uint8Array): number {
  return Buffer.from(deriveBytes(bytes, "hub-key-id-v1", new Uint8Array(), 4)).readUInt32BE();
}

/** A key id as people see and type it: eight hex digits. */
export function formatKeyId(id: number): string {
  return id.toString(16).padStart(8, "0");
}

/**
 * Reads keys as `HUB_ENC_KEY` holds them: comma-separated, each 32 bytes in hex, base64 or
 * base64url. Throws `bad_configuration` that says which entry is wrong and never shows it.
 */
export function parseKeyList(text: string, settingName = "HUB_ENC_KEY"): Uint8Array[] {
  const entries = text.split(",").map((entry) => entry.trim());
  return entries.map((entry, index) => {
    const key = findKeyBytes(entry);
    if (key !== null) return key;
    const which = entries.length === 1 ? "" : `entry ${index + 1} of ${entries.length} `;
    throw new HubError(
      "bad_configuration",
      `${settingName}: ${which}${describeFault(entry)}. A key is 32 random bytes as 64 hex digits or as base64; "openssl rand -hex 32" makes one.`,
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
  // Stray bits in the last character mean a mistyped key, and a wrong key shows only much later.
  const canonical = bytes.toString("base64url");
  const given = entry.replace("=", "").replaceAll("+", "-").replaceAll("/", "_");
  return canonical === given ? Uint8Array.from(bytes) : null;
}

function describeFault(entry: string): string {
  if (entry === "") return "is empty";
  if (/^[\dA-Fa-f]+$/.test(entry)) return `has ${entry.length} hex digits instead of 64`;
  return `is not a 32-byte key in hex or base64 (it has ${entry.length} characters)`;
}
