import {
  argon2 as argon2Callback,
  createCipheriv,
  createDecipheriv,
  randomBytes,
} from "node:crypto";
import { promisify } from "node:util";
import { z } from "zod";

const argon2 = promisify(argon2Callback);

/** RFC 9106, second recommended option. */
const recommendedCost = { memoryKib: 64 * 1024, passes: 3, lanes: 4 } as const;
const cipherName = "aes-256-gcm";
const saltBytes = 16;
const nonceBytes = 12;
const tagBytes = 16;

const hexOf = (bytes: number) => z.string().regex(new RegExp(`^[0-9a-f]{${2 * bytes}}$`));

/** Master keys, encrypted with a passphrase by argon2id and AES-256-GCM. */
export const sealedKeysSchema = z.strictObject({
  version: z.literal(1),
  kdf: z.literal("argon2id"),
  // Limits, because the file may be a stranger's.
  memory_kib: z
    .int()
    .min(8)
    .max(1024 * 1024),
  passes: z.int().min(1).max(16),
  lanes: z.int().min(1).max(16),
  salt: hexOf(saltBytes),
  nonce: hexOf(nonceBytes),
  sealed: z.string().regex(/^(?:[0-9a-f]{2}){17,65536}$/),
});
export type SealedKeys = z.infer<typeof sealedKeysSchema>;

const keysSchema = z.array(hexOf(32)).min(1);

/** Encrypts 32-byte keys, in their order. Takes some 0.1 s and 64 MiB. */
export async function sealKeys(
  keys: readonly Uint8Array[],
  passphrase: string,
  cost: { memoryKib: number; passes: number; lanes: number } = recommendedCost,
): Promise<SealedKeys> {
  const [salt, nonce] = [randomBytes(saltBytes), randomBytes(nonceBytes)];
  const { memoryKib: memory_kib, passes, lanes } = cost;
  const header = { version: 1 as const, kdf: "argon2id" as const, memory_kib, passes, lanes };
  const parts = { ...header, salt: salt.toHex(), nonce: nonce.toHex() };
  const cipher = createCipheriv(cipherName, await deriveKey(parts, passphrase), nonce);
  cipher.setAAD(toBoundData(parts));
  const text = JSON.stringify(keys.map((key) => key.toHex()));
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return { ...parts, sealed: sealed.toString("hex") };
}

/** The keys in their order. Null for another passphrase and for altered parts. */
export async function openSealedKeys(
  { sealed, ...parts }: SealedKeys,
  passphrase: string,
): Promise<Uint8Array[] | null> {
  const bytes = Buffer.from(sealed, "hex");
  const key = await deriveKey(parts, passphrase);
  const cipher = createDecipheriv(cipherName, key, Buffer.from(parts.nonce, "hex"));
  cipher.setAAD(toBoundData(parts));
  cipher.setAuthTag(bytes.subarray(-tagBytes));
  try {
    const text = Buffer.concat([cipher.update(bytes.subarray(0, -tagBytes)), cipher.final()]);
    return keysSchema
      .parse(JSON.parse(text.toString("utf8")))
      .map((hex) => Uint8Array.fromHex(hex));
  } catch {
    return null;
  }
}

type Parts = Omit<SealedKeys, "sealed">;

async function deriveKey(parts: Parts, passphrase: string): Promise<Buffer> {
  return await argon2("argon2id", {
    // The same characters may be typed as different code points.
    message: Buffer.from(passphrase.normalize("NFC"), "utf8"),
    nonce: Buffer.from(parts.salt, "hex"),
    parallelism: parts.lanes,
    tagLength: 32,
    memory: parts.memory_kib,
    passes: parts.passes,
  });
}

function toBoundData({ version, kdf, memory_kib, passes, lanes, salt }: Parts): Buffer {
  return Buffer.from(["hub-keys", version, kdf, memory_kib, passes, lanes, salt].join(" "), "utf8");
}
