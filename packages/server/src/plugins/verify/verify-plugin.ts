import { createHash } from "node:crypto";
import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";
import type { InstalledPlugin } from "../installed/installed-plugin.ts";
import type { ProgramRecords } from "../installed/program-records.ts";
import type { PluginTrust } from "../plugin-trust.ts";
import { checkKey } from "./check-key.ts";
import { checkSignature, findSigner } from "./check-manifest-signature.ts";
import { checkPlatform } from "./check-platform.ts";
import { checkProgram } from "./check-program.ts";
import { checkProtocol } from "./check-protocol.ts";
import { checkThin, checkThinSize } from "./check-thin.ts";
import { findProgram } from "./find-plugin-program.ts";
import { readManifest } from "./read-manifest.ts";

export type VerifyDeps = {
  trust: PluginTrust;
  /** This machine, such as `linux/amd64`. */
  hostPlatform: string;
  /** This hub's version; null accepts thin plugins for every version. */
  hubVersion: string | null;
  /** Keys of the built-in connectors. */
  reservedKeys: ReadonlySet<string>;
};

export type VerifiedPlugin = Omit<InstalledPlugin, "enabled" | "problem">;

type Candidate = {
  dir: string;
  /** The name of the folder; null takes it from the manifest. */
  key: string | null;
  /** The name of the plugin in refusals while its key is not known. */
  source: string;
  /** Earlier verifications, which save reading a program again. */
  records?: ProgramRecords;
};

/**
 * Runs every check that a plugin must pass before it runs. Throws `plugin_refused` for the first one
 * that fails.
 */
export async function verifyPlugin(
  deps: VerifyDeps,
  { dir, key, source, records }: Candidate,
): Promise<VerifiedPlugin> {
  const manifest = await readManifest(key ?? source, dir);
  const ownKey = manifest.module.Meta.Key;
  const signature = verifyManifest(deps, manifest, key ?? ownKey);
  const binaryPath = await findProgram(manifest, dir);
  await checkThinSize(manifest, binaryPath);
  const { cosignKey } = deps.trust;
  const binaryStamp = await checkProgram(
    { cosignKey, records: records ?? null },
    manifest,
    binaryPath,
  );
  return {
    key: ownKey,
    dir,
    version: manifest.version,
    manifest,
    binaryPath,
    binaryStamp,
    signature,
    ...findSignerText(deps, manifest),
  };
}

function findSignerText({ trust }: VerifyDeps, manifest: PluginManifest): { signer?: string } {
  const signer = findSigner(trust, manifest);
  if (signer === null) return {};
  const key = signer.export({ type: "spki", format: "der" });
  return { signer: createHash("sha256").update(key).digest("base64url") };
}

/** The checks that need no program. */
export function verifyManifest(
  deps: VerifyDeps,
  manifest: PluginManifest,
  key: string,
): VerifiedPlugin["signature"] {
  checkKey(deps.reservedKeys, manifest, key);
  checkPlatform(deps.hostPlatform, manifest);
  checkProtocol(manifest);
  checkThin(deps.hubVersion, manifest);
  return checkSignature(deps.trust, manifest);
}
