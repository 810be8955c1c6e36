import { createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import canonicalize from "canonicalize";
import { z } from "zod";

/** Plugin keys have no hyphen, because hyphens separate the parts of archive names. */
export const pluginKeyPattern = /^[a-z0-9_]{1,64}$/;

/** `linux/amd64`: operating system and processor, named as in Go. */
export const platformPattern = /^[a-z0-9]{1,32}\/[a-z0-9]{1,32}$/;

/**
 * The platform of thin plugins, which the hub's own executable runs on any system. Other hosts know no
 * such system and refuse the archive like one for another machine.
 */
export const thinPlatform = "hub/any";

/** One bound of a range, such as `>=0.1.0`, `~0.1` or `^1.2.0-rc.1`. */
const bound = String.raw`(?:\^|~|>=?|<=?|=)?\d{1,9}(?:\.\d{1,9}){0,2}(?:-[0-9A-Za-z.-]{1,32})?`;
const bounds = `${bound}(?: ${bound}){0,3}`;

/** A range of versions as in npm: bounds with spaces between them, and alternatives with `||`. */
export const hubRangePattern = new RegExp(`^${bounds}(?: \\|\\| ${bounds}){0,3}$`);

/** A file name without a folder, so that the file is inside the plugin's folder. */
const fileNamePattern = /^(?!\.{1,2}$)[A-Za-z0-9_][A-Za-z0-9._-]{0,127}$/;

/**
 * The description that the plugin's program gives of itself, with Go's capitalized names. Only the
 * members that every reader needs are checked here. `fromModuleManifest` of `@hub/connector/plugin`
 * reads the others.
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
  /** The only kind. A manifest without it is of this kind. */
  kind: z.literal("connector").optional(),
  /** Semantic versions can be compared; other versions only for equality. */
  version: z.string().regex(/^[0-9A-Za-z][0-9A-Za-z.+-]{0,63}$/),
  /** The application version of the protocol: 1 or 2. */
  proto_version: z.int().positive(),
  /** File name of the program. If it is empty, the name is the key. */
  entry: z.union([z.literal(""), z.string().regex(fileNamePattern)]).optional(),
  os_arch: z.array(z.string().regex(platformPattern)).min(1),
  /** The hub versions that can run a thin plugin, such as `^0.1.0`. Other plugins have none. */
  hub: z.string().regex(hubRangePattern).optional(),
  /** SHA-256 of the program, in lower-case hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The Ed25519 signature in standard base64; empty without a signature. */
  signature: z.string().optional(),
  module: pluginModuleSchema,
});
export type PluginManifest = z.infer<typeof pluginManifestSchema>;

/** The bytes to sign: the manifest without the signature, in the canonical form of RFC 8785. */
export function canonicalManifestBytes(manifest: PluginManifest): Uint8Array {
  const { signature: _, ...signed } = manifest;
  const text = canonicalize(signed);
  if (text === undefined) throw new Error("The manifest cannot be written as canonical JSON.");
  return new TextEncoder().encode(text);
}

/** Signs the whole manifest with Ed25519 and returns standard base64. */
export function signManifest(manifest: PluginManifest, privateKey: KeyObject): string {
  return sign(null, canonicalManifestBytes(manifest), privateKey).toString("base64");
}

/** Signs only the program's hash in hex, in the form that hosts of version 1 check. */
export function signProgramHash(manifest: PluginManifest, privateKey: KeyObject): string {
  return sign(null, new TextEncoder().encode(manifest.sha256), privateKey).toString("base64");
}

/**
 * The coverage of a manifest's signature. `whole`: every member. `binary-only`: only the program's
 * hash, as in older plugins. `wrong`: none of the keys made it, or it signs something else.
 */
export type ManifestSignature = "whole" | "binary-only" | "unsigned" | "wrong";

export function verifyManifestSignature(
  manifest: PluginManifest,
  keys: readonly KeyObject[],
): ManifestSignature {
  if (manifest.signature === undefined || manifest.signature === "") return "unsigned";
  const signature = Buffer.from(manifest.signature, "base64");
  // Several base64 texts can have one value. Only the canonical one is accepted, so that no byte
  // can be changed.
  if (signature.toString("base64") !== manifest.signature) return "wrong";
  const isSigned = (bytes: Uint8Array) => keys.some((key) => verify(null, bytes, key, signature));
  if (isSigned(canonicalManifestBytes(manifest))) return "whole";
  return isSigned(new TextEncoder().encode(manifest.sha256)) ? "binary-only" : "wrong";
}

/** Formats a public key as standard base64 of its 32 bytes. */
export function toPublicKeyText(key: KeyObject): string {
  const { x = "" } = (key.type === "private" ? createPublicKey(key) : key).export({
    format: "jwk",
  });
  return Buffer.from(x, "base64url").toString("base64");
}

/** Parses a public key. Returns null if the text is not standard base64 of 32 bytes. */
export function findPublicKey(text: string): KeyObject | null {
  const bytes = Buffer.from(text, "base64");
  if (bytes.length !== 32 || bytes.toString("base64") !== text) return null;
  return createPublicKey({
    key: { kty: "OKP", crv: "Ed25519", x: bytes.toString("base64url") },
    format: "jwk",
  });
}

/** Whether the program is one bundled file for the hub's own executable. */
export function isThin({ os_arch }: Pick<PluginManifest, "os_arch">): boolean {
  return os_arch.includes(thinPlatform);
}

/** The file name of a manifest's program. */
export function toEntryName(manifest: PluginManifest): string {
  return manifest.entry || manifest.module.Meta.Key;
}
