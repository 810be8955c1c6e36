import { createPublicKey, type KeyObject } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { findPublicKey } from "@hub/contract/plugin-manifest.ts";
import type { Config } from "../config.ts";
import { HubError } from "../errors.ts";

/** Whose plugins this hub runs. */
export type PluginTrust = {
  /** A manifest signed by any of these is trusted. */
  publicKeys: readonly KeyObject[];
  /** Null where nobody said: signatures are required as soon as there is a key. */
  requireSignature: boolean | null;
  allowBinarySignatures: boolean;
  /** Null when cosign signatures are not asked for. */
  cosignKey: KeyObject | null;
};

type TrustSettings = Pick<
  Config,
  "pluginPubkey" | "pluginRequireSignature" | "pluginAllowBinarySignatures" | "pluginCosignPubkey"
>;

/** Throws `bad_configuration` when a key cannot be read: trust must not fall silently to less. */
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
  if (key === null) throw new Error("the configuration checks these");
  return key;
}

function loadCosignKey(given: string): KeyObject {
  try {
    const isPem = given.startsWith("-----BEGIN");
    // A variable often cannot hold line breaks, and then has them written out.
    const pem = isPem ? given.replaceAll("\\n", "\n") : readFileSync(resolve(given), "utf8");
    const key = createPublicKey(pem);
    if (key.asymmetricKeyType === "ec") return key;
    throw new Error(`it is a key of type ${key.asymmetricKeyType}`);
  } catch (cause) {
    throw new HubError(
      "bad_configuration",
      "HUB_PLUGIN_COSIGN_PUBKEY must be an ECDSA public key in PEM, or the path of a file that holds one, such as cosign.pub.",
      { cause },
    );
  }
}
