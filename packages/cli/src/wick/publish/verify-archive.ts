import { createPublicKey } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { findPublicKey } from "@hub/contract/plugin-manifest.ts";
import { reservedKeys } from "@hub/contract/reserved-keys.ts";
import { defaultInstallLimits } from "@hub/server/plugins/install/install-limits.ts";
import { unpackArchive } from "@hub/server/plugins/install/unpack-archive.ts";
import { readManifest } from "@hub/server/plugins/verify/read-manifest.ts";
import { verifyPlugin } from "@hub/server/plugins/verify/verify-plugin.ts";
import { toUsageError } from "../../errors/usage-error.ts";
import { toList } from "../../input/option-values.ts";

export type VerifiedArchive = {
  key: string;
  name: string;
  description: string;
  default_tags: string[];
  version: string;
  platforms: string[];
  /** The hub versions that a thin plugin is for; null for a standalone program. */
  hub: string | null;
  proto_version: number;
  /** Hash of the program. */
  sha256: string;
  /** `unchecked`: signed, but no key was given to check the signature. */
  signature: "signed" | "binary-only" | "unsigned" | "unchecked";
};

type Trusted = { pubkey?: string; cosignPubkey?: string };

/** Runs a hub's checks on an archive of any platform. */
export async function verifyArchive(
  cwd: string,
  archive: string,
  { pubkey, cosignPubkey }: Trusted = {},
): Promise<VerifiedArchive> {
  const work = await mkdtemp(join(tmpdir(), "wick-verify-"));
  try {
    const path = resolve(cwd, archive);
    const target = join(work, "unpacked");
    const dir = await unpackArchive(defaultInstallLimits, { plugin: archive, path, target });
    const { os_arch: platforms } = await readManifest(archive, dir);
    const verified = await verifyPlugin(
      {
        trust: {
          publicKeys: toList(pubkey ?? "").map(readKey),
          requireSignature: null,
          allowBinarySignatures: true,
          cosignKey:
            cosignPubkey === undefined
              ? null
              : createPublicKey(await readFile(resolve(cwd, cosignPubkey), "utf8")),
        },
        hostPlatform: platforms[0] ?? "",
        hubVersion: null,
        reservedKeys: new Set<string>(reservedKeys),
      },
      { dir, key: null, source: archive },
    );
    const { key, version, manifest, signature } = verified;
    const { proto_version, sha256, hub = null } = manifest;
    const { Name: name = key, Description: description = "", DefaultTags } = manifest.module.Meta;
    return {
      key,
      name,
      description,
      default_tags: (DefaultTags ?? []).map((tag) => tag.Name),
      version,
      platforms,
      hub,
      proto_version,
      sha256,
      signature,
    };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function readKey(text: string) {
  const key = findPublicKey(text);
  if (key !== null) return key;
  throw toUsageError(
    `"${text}" is not a public key. Give 32 bytes in base64, as \`wick plugin keygen\` prints them.`,
  );
}
