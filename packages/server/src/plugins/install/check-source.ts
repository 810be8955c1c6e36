import { type PluginManifest, toPublicKeyText } from "@hub/contract/plugin-manifest.ts";
import type { PluginTrust } from "../plugin-trust.ts";
import { findSigner } from "../verify/check-manifest-signature.ts";
import { refusePlugin } from "../verify/refuse-plugin.ts";
import { describeInstallSource, type InstallSource, isSameLocation } from "./install-source.ts";
import type { InstalledVersion } from "./installed-version.ts";

type Offer = { key: string; manifest: PluginManifest; source: InstallSource };

/** The installed plugin with a key. `signer` is a trusted key that signed the whole manifest. */
type Installed = { source: InstallSource | null; signer: string | null; isManual: boolean };

/**
 * Attack: an archive of another author with the key of an installed plugin would get the secrets of
 * its rows. Throws unless the offer has the same source as the installed version.
 */
export function checkSameSource(
  trust: PluginTrust,
  version: InstalledVersion | null,
  offer: Offer,
): void {
  if (version === null) return;
  const { manifest, source, isManual } = version;
  const installedSigner = manifest === null ? null : findSignerText(trust, manifest);
  const installed: Installed = { source, isManual, signer: installedSigner };
  const signer = findSignerText(trust, offer.manifest);
  if (isSameSource(installed, { ...offer, signer })) return;
  const describe = (isLocal: boolean) => ({
    expected: `an archive from the source of the installed version (${describeInstalled(installed, isLocal)})`,
    found: describeInstallSource(offer.source, isLocal) + describeSigner(signer),
  });
  throw refusePlugin({
    plugin: offer.key,
    check: "source",
    ...describe(false),
    local: describe(true),
    remedy:
      'The new plugin would get the rows of the installed one and their secrets. If you trust it, add --replace, or "replace": true over the API.',
  });
}

function isSameSource(installed: Installed, offer: Offer & { signer: string | null }): boolean {
  // The signer is stronger evidence than the location.
  if (installed.signer !== null) return installed.signer === offer.signer;
  if (installed.source !== null) return isSameLocation(installed.source, offer.source);
  // An older hub recorded no source. The catalog is the only one that an admin has configured.
  return !installed.isManual && offer.source.kind === "catalog";
}

function findSignerText(trust: PluginTrust, manifest: PluginManifest): string | null {
  const signer = findSigner(trust, manifest);
  return signer === null ? null : toPublicKeyText(signer);
}

function describeInstalled({ source, signer, isManual }: Installed, isLocal: boolean): string {
  const from =
    source !== null
      ? describeInstallSource(source, isLocal)
      : isManual
        ? "copied into the plugins folder by hand"
        : "not recorded, so only the catalog is accepted";
  return from + describeSigner(signer);
}

function describeSigner(signer: string | null): string {
  return signer === null ? "" : `, signed by the key ${signer}`;
}
