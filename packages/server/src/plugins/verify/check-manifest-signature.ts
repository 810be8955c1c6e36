import type { KeyObject } from "node:crypto";
import { type PluginManifest, verifyManifestSignature } from "@hub/contract/plugin-manifest.ts";
import type { InstalledPlugin } from "../installed/installed-plugin.ts";
import type { PluginTrust } from "../plugin-trust.ts";
import { refusePlugin } from "./refuse-plugin.ts";

type SignatureState = InstalledPlugin["signature"];

/** Checks the plugin's signature. Throws if the hub's settings require a better one. */
export function checkSignature(trust: PluginTrust, manifest: PluginManifest): SignatureState {
  const { publicKeys, requireSignature } = trust;
  if (publicKeys.length === 0) {
    // Required, but without a key no signature can be valid, so every plugin is refused.
    if (requireSignature === true) throw refuseKeyless(manifest);
    return manifest.signature ? "unchecked" : "unsigned";
  }
  const proven = verifyManifestSignature(manifest, publicKeys);
  if (proven === "whole") return "signed";
  if (proven === "wrong") throw refuseWrong(manifest);
  if (proven === "binary-only" && countsBinarySignature(trust, manifest)) return "binary-only";
  if (requireSignature === false) return "unsigned";
  throw proven === "binary-only" ? refuseBinaryOnly(manifest) : refuseUnsigned(manifest);
}

/** The trusted key that signed the whole manifest; null if there is none. */
export function findSigner(
  { publicKeys }: Pick<PluginTrust, "publicKeys">,
  manifest: PluginManifest,
): KeyObject | null {
  return publicKeys.find((key) => verifyManifestSignature(manifest, [key]) === "whole") ?? null;
}

/**
 * The older form does not cover version, key and flags. It is accepted only for version-1 plugins,
 * which cannot have a better one, and only if an admin allows it.
 */
function countsBinarySignature(trust: PluginTrust, manifest: PluginManifest): boolean {
  return trust.allowBinarySignatures && manifest.proto_version === 1;
}

const expected = "a signature over the whole manifest by a key of HUB_PLUGIN_PUBKEY";

function refuseKeyless({ module }: PluginManifest) {
  return refusePlugin({
    plugin: module.Meta.Key,
    check: "signature",
    expected,
    found: "no trusted key: HUB_PLUGIN_REQUIRE_SIGNATURE is 1 and HUB_PLUGIN_PUBKEY is not set",
    remedy: "Set HUB_PLUGIN_PUBKEY to the public key of the plugin's author.",
  });
}

function refuseWrong({ module }: PluginManifest) {
  return refusePlugin({
    plugin: module.Meta.Key,
    check: "signature",
    expected,
    found: "a signature of another key or for another manifest",
    remedy:
      "The plugin was changed after it was signed, or it was signed with another key. Get it from its author, and compare the author's key with HUB_PLUGIN_PUBKEY.",
  });
}

function refuseUnsigned({ module }: PluginManifest) {
  return refusePlugin({
    plugin: module.Meta.Key,
    check: "signature",
    expected,
    found: "no signature",
    remedy:
      "Ask its author for a signed build. HUB_PLUGIN_REQUIRE_SIGNATURE=0 accepts unsigned plugins.",
  });
}

function refuseBinaryOnly({ module, proto_version }: PluginManifest) {
  return refusePlugin({
    plugin: module.Meta.Key,
    check: "signature",
    expected,
    found: "a signature over the program only",
    remedy:
      proto_version === 1
        ? "HUB_PLUGIN_ALLOW_BINARY_SIGNATURES=1 accepts such signatures of version-1 plugins."
        : "Ask its author to sign it with `wick plugin build --sign-key`.",
  });
}
