import { findFileStamp } from "../file-stamp.ts";
import type { InstalledPlugin } from "../installed-plugin.ts";
import type { PluginTrust } from "../plugin-trust.ts";
import { checkCosign } from "./check-cosign.ts";
import { checkHash, hashFile } from "./check-hash.ts";
import { checkKey } from "./check-key.ts";
import { checkPlatform } from "./check-platform.ts";
import { checkProtocol } from "./check-protocol.ts";
import { checkSignature } from "./check-signature.ts";
import { findProgram } from "./find-program.ts";
import { readManifest } from "./read-manifest.ts";
import { refusePlugin } from "./refuse-plugin.ts";

export type VerifyDeps = {
  trust: PluginTrust;
  /** This machine, such as `linux/amd64`. */
  hostPlatform: string;
  /** Keys of the connectors that are compiled in. */
  reservedKeys: ReadonlySet<string>;
};

export type VerifiedPlugin = Omit<InstalledPlugin, "enabled" | "problem">;

type Candidate = {
  dir: string;
  /** The name that the folder has, or will have; null lets the manifest say it. */
  key: string | null;
  /** How the plugin is called while its key is not known. */
  source: string;
};

/**
 * Every check that stands between a folder and a plugin that runs. Throws `plugin_refused` with the
 * first one that fails.
 */
export async function verifyPlugin(
  deps: VerifyDeps,
  { dir, key, source }: Candidate,
): Promise<VerifiedPlugin> {
  const manifest = await readManifest(key ?? source, dir);
  const ownKey = manifest.module.Meta.Key;
  checkKey(deps.reservedKeys, manifest, key ?? ownKey);
  checkPlatform(deps.hostPlatform, manifest);
  checkProtocol(manifest);
  const signature = checkSignature(deps.trust, manifest);
  const binaryPath = await findProgram(manifest, dir);
  // Taken before the file is read: one that changes in the meantime has another stamp at spawn.
  const binaryStamp = await findFileStamp(binaryPath);
  checkHash(manifest, await hashFile(binaryPath));
  await checkCosign(deps.trust.cosignKey, manifest, binaryPath);
  if (binaryStamp === null) throw refuseVanished(ownKey);
  return {
    key: ownKey,
    dir,
    version: manifest.version,
    manifest,
    binaryPath,
    binaryStamp,
    signature,
  };
}

function refuseVanished(plugin: string) {
  return refusePlugin({
    plugin,
    check: "program",
    expected: "a program that stays in place while it is checked",
    found: "none any more",
    remedy: "Try again.",
  });
}
