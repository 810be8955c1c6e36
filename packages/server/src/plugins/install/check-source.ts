import { lstat } from "node:fs/promises";
import { type PluginManifest, toPublicKeyText } from "@hub/contract/plugin-manifest.ts";
import type { PluginFolders } from "../plugin-folders.ts";
import type { PluginTrust } from "../plugin-trust.ts";
import { findSigner } from "../verify/check-signature.ts";
import { readManifest } from "../verify/read-manifest.ts";
import { refusePlugin } from "../verify/refuse-plugin.ts";
import {
  describeInstallSource,
  type InstallSource,
  isSamePlace,
  readInstallSource,
} from "./install-source.ts";

type Offer = { key: string; manifest: PluginManifest; source: InstallSource };

/** What is installed under a key. `signer` is a trusted key that signed the whole manifest. */
type Installed = { source: InstallSource | null; signer: string | null; isPutByHand: boolean };

/**
 * Names the attack: an archive of another author that carries an installed plugin's key would be
 * handed the secrets of its rows. Throws unless the offer comes from where the installed version does.
 */
export async function checkSameSource(
  deps: { folders: PluginFolders; trust: PluginTrust },
  offer: Offer,
): Promise<void> {
  const installed = await findInstalled(deps, offer.key);
  if (installed === null) return;
  const signer = findSignerText(deps.trust, offer.manifest);
  if (isSameSource(installed, { ...offer, signer })) return;
  const describe = (isLocal: boolean) => ({
    expected: `an archive from where the installed version came from (${describeInstalled(installed, isLocal)})`,
    found: describeInstallSource(offer.source, isLocal) + describeSigner(signer),
  });
  throw refusePlugin({
    plugin: offer.key,
    check: "source",
    ...describe(false),
    local: describe(true),
    remedy:
      'The plugin\'s rows and their secrets would go to the new one. If you trust it, add --replace, or "replace": true over the API.',
  });
}

function isSameSource(installed: Installed, offer: Offer & { signer: string | null }): boolean {
  // Who signed it says more than where it lay.
  if (installed.signer !== null) return installed.signer === offer.signer;
  if (installed.source !== null) return isSamePlace(installed.source, offer.source);
  // Installed by a hub that kept no record: an admin chose the catalog, and no other place is known.
  return !installed.isPutByHand && offer.source.kind === "catalog";
}

async function findInstalled(
  { folders, trust }: { folders: PluginFolders; trust: PluginTrust },
  key: string,
): Promise<Installed | null> {
  const dir = await folders.resolve(key);
  if (dir === null) return null;
  const stats = await lstat(folders.link(key));
  const manifest = await readManifest(key, dir).catch(() => null);
  return {
    source: await readInstallSource(dir),
    signer: manifest === null ? null : findSignerText(trust, manifest),
    isPutByHand: !stats.isSymbolicLink(),
  };
}

function findSignerText(trust: PluginTrust, manifest: PluginManifest): string | null {
  const signer = findSigner(trust, manifest);
  return signer === null ? null : toPublicKeyText(signer);
}

function describeInstalled({ source, signer, isPutByHand }: Installed, isLocal: boolean): string {
  const from =
    source !== null
      ? describeInstallSource(source, isLocal)
      : isPutByHand
        ? "put into the plugins' folder by hand"
        : "not recorded at that time, so the catalog only";
  return from + describeSigner(signer);
}

function describeSigner(signer: string | null): string {
  return signer === null ? "" : `, signed by the key ${signer}`;
}
