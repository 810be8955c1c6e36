import { createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { findPublicKey } from "@hub/contract/plugin-manifest.ts";
import type { Config } from "../config.ts";
import { HubError } from "../errors.ts";

/** The settings that decide which plugins this hub trusts. */
export type PluginTrust = {
  /** A manifest signed by any of these is trusted. */
  publicKeys: readonly KeyObject[];
  /** Null if not set: signatures are required if there is a public key. */
  requireSignature: boolean | null;
  allowBinarySignatures: boolean;
  /** Null if cosign signatures are not required. */
  cosignKey: KeyObject | null;
};

type TrustSettings = Pick<
  Config,
  "pluginPubkey" | "pluginRequireSignature" | "pluginAllowBinarySignatures" | "pluginCosignPubkey"
>;

/** Throws `bad_configuration` if a key cannot be read: the hub must not silently trust more. */
export function loadPluginTrust(config: TrustSettings): PluginTrust {
  return {
    publicKeys: config.pluginPubkey.map(readPublicKey),
    requireSignature: config.pluginRequireSignature,
    allowBinarySignatures: config.pluginAllowBinarySignatures,
    cosignKey: config.pluginCosignPubkey === null ? null : loadCosignKey(config.pluginCosignPubkey),
  };
}

function readPublicKey(text: string): KeyObject {
  const key = findPublicKey(text);
  if (key === null) throw new Error("The configuration has checked these keys");
  return key;
}

function loadCosignKey(given: string): KeyObject {
  try {
    const isPem = given.startsWith("-----BEGIN");
    // Variables that cannot hold line breaks have them as `\n`.
    const pem = isPem ? given.replaceAll("\\n", "\n") : readFileSync(resolve(given), "utf8");
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === "ec") return key;
    throw new Error(`it is a key of type ${key.asymmetricKeyType}`);
  } catch (cause) {
    throw new HubError(
      "bad_configuration",
      "HUB_PLUGIN_COSIGN_PUBKEY must be an ECDSA public key in PEM, or the path of a file with one, such as cosign.pub.",
      { cause },
    );
  }
}
