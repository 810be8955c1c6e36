import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import canonicalize from "canonicalize";
import { z } from "zod";

/** Keys of plugins: no hyphen, which would break the names of their archives. */
export const pluginKeyPattern = /^[a-z0-9_]{1,64}$/;

/** `linux/amd64`: system and processor in Go's words. */
export const platformPattern = /^[a-z0-9]{1,32}\/[a-z0-9]{1,32}$/;

/** A file name and nothing more: no folder, and nothing that leaves the plugin's own. */
const fileNamePattern = /^(?!\.{1,2}$)[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/**
 * What the plugin's program says of itself, with names in Go's capitals. Only what every reader needs
 * is checked here; `fromModuleManifest` of `@hub/connector/plugin` reads the rest.
 */
export const pluginModuleSchema = z.looseObject({
  Meta: z.looseObject({
    Key: z.string().regex(pluginKeyPattern),
    Name: z.string().optional(),
    Description: z.string().optional(),
    Icon: z.string().optional(),
    DefaultTags: z
      .array(z.looseObject({ Name: z.string() }))
      .nullable()
      .optional(),
  }),
  Configs: z.array(z.unknown()).nullable().optional(),
  Operations: z.array(z.unknown()).nullable().optional(),
  OAuth: z.unknown().optional(),
});
export type PluginModule = z.infer<typeof pluginModuleSchema>;

/** `plugin.json`. Unknown members are kept, because the signature covers them too. */
export const pluginManifestSchema = z.looseObject({
  schema_version: z.literal(1),
  /** There is one kind; a manifest that does not say it means that one. */
  kind: z.literal("connector").optional(),
  /** Semantic versions can be compared; other versions only for equality. */
  version: z.string().regex(/^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$/),
  /** Application version of the protocol: 1, or this project's 2. */
  proto_version: z.int().positive(),
  /** File name of the program; empty for the key. */
  entry: z.union([z.literal(""), z.string().regex(fileNamePattern)]).optional(),
  os_arch: z.array(z.string().regex(platformPattern)).min(1),
  /** Of the program, in lower-case hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Standard base64 of an Ed25519 signature; empty when there is none. */
  signature: z.string().optional(),
  module: pluginModuleSchema,
});
export type PluginManifest = z.infer<typeof pluginManifestSchema>;

/** What is signed: everything in the manifest but the signature, as RFC 8785 writes it. */
export function canonicalManifestBytes(manifest: PluginManifest): Uint8Array {
  const { signature: _, ...signed } = manifest;
  const text = canonicalize(signed);
  if (text === undefined) throw new Error("The manifest cannot be written as canonical JSON.");
  return new TextEncoder().encode(text);
}

/** Standard base64 of the Ed25519 signature over the whole manifest. */
export function signManifest(manifest: PluginManifest, privateKey: KeyObject): string {
  return sign(null, canonicalManifestBytes(manifest), privateKey).toString("base64");
}

/** The older form, which hosts of version 1 check: over the program's hash alone, as hex. */
export function signProgramHash(manifest: PluginManifest, privateKey: KeyObject): string {
  return sign(null, new TextEncoder().encode(manifest.sha256), privateKey).toString("base64");
}

/**
 * What a manifest's signature proves: `whole` covers every member, `binary-only` the program's hash
 * alone (the form of existing plugins), `wrong` was made by none of the keys or for something else.
 */
export type ManifestSignature = "whole" | "binary-only" | "unsigned" | "wrong";

export function verifyManifestSignature(
  manifest: PluginManifest,
  keys: readonly KeyObject[],
): ManifestSignature {
  if (manifest.signature === undefined || manifest.signature === "") return "unsigned";
  const signature = Buffer.from(manifest.signature, "base64");
  // Base64 has several spellings of one value; only one counts, so that no byte is free to change.
  if (signature.toString("base64") !== manifest.signature) return "wrong";
  const isSigned = (bytes: Uint8Array) => keys.some((key) => verify(null, bytes, key, signature));
  if (isSigned(canonicalManifestBytes(manifest))) return "whole";
  return isSigned(new TextEncoder().encode(manifest.sha256)) ? "binary-only" : "wrong";
}

/** The form in which public keys travel: standard base64 of 32 bytes. */
export function toPublicKeyText(key: KeyObject): string {
  const { x = "" } = (key.type === "private" ? createPublicKey(key) : key).export({
    format: "jwk",
  });
  return Buffer.from(x, "base64url").toString("base64");
}

/** Null when the text is not standard base64 of 32 bytes. */
export function findPublicKey(text: string): KeyObject | null {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length !== 32 || bytes.toString("base64") !== text) return null;
  return createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: bytes.toString("base64url") },
    format: "jwk",
  });
}

/** File name of the program that a manifest describes. */
export function toEntryName(manifest: PluginManifest): string {
  return manifest.entry || manifest.module.Meta.Key;
}
