import { createPrivateKey, createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { createReadStream } from "node:fs";
import { open, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { toPublicKeyText } from "@hub/contract/plugin-manifest.ts";

export type MadeKey = { private_key_file: string; public_key: string };

/** Makes an Ed25519 key pair. The private key goes to a new file that only its owner may read. */
export async function makeSigningKey(cwd: string, out: string): Promise<MadeKey> {
  const { privateKey } = generateKeyPairSync("ed25519");
  const path = resolve(cwd, out);
  const file = await open(path, "wx", 0o600).catch((cause) => {
    throw new Error(
      `${path} cannot be created (${cause.code}). Existing keys are never overwritten. Give another file name with --out.`,
    );
  });
  try {
    await file.writeFile(privateKey.export({ type: "pkcs8", format: "pem" }));
  } finally {
    await file.close();
  }
  return { private_key_file: path, public_key: toPublicKeyText(privateKey) };
}

/** Reads the key of `--sign-key`: PKCS#8 in PEM, or base64 of the 32-byte seed. */
export async function readSigningKey(path: string): Promise<KeyObject> {
  const text = (await readFile(path, "utf8")).trim();
  const key = text.startsWith("-----BEGIN") ? readPem(path, text) : fromSeed(text);
  if (key?.asymmetricKeyType === "ed25519") return key;
  throw new Error(
    `${path} does not contain an Ed25519 private key. Run \`wick plugin keygen\` to make one.`,
  );
}

/** Reads the key of `--cosign-key`: unencrypted PKCS#8 in PEM, on an elliptic curve. */
export async function readCosignKey(path: string): Promise<KeyObject> {
  const text = (await readFile(path, "utf8")).trim();
  if (text.includes("ENCRYPTED")) {
    throw new Error(
      `${path} is encrypted. Decrypt it first, or build without --cosign-key and sign the program with \`cosign sign-blob\`.`,
    );
  }
  const key = readPem(path, text);
  if (key.asymmetricKeyType === "ec") return key;
  throw new Error(`${path} does not contain an ECDSA private key.`);
}

/** cosign's classic signature: base64 of the DER of ECDSA over SHA-256. */
export async function signForCosign(program: string, key: KeyObject): Promise<string> {
  const signer = createSign("sha256");
  for await (const chunk of createReadStream(program)) signer.update(chunk);
  return signer.sign(key).toString("base64");
}

function readPem(path: string, text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch (cause) {
    throw new Error(`${path} does not contain a private key in PEM.`, { cause });
  }
}

/** The first bytes of PKCS#8 for Ed25519, up to the seed. */
const seedPrefix = Buffer.from("302e020100300506032b657004220420", "hex");

/** Go stores the public key after the seed. */
function fromSeed(text: string): KeyObject | null {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length !== 32 && bytes.length !== 64) return null;
  const der = Buffer.concat([seedPrefix, bytes.subarray(0, 32)]);
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}
