import { createHash, createVerify, type KeyObject } from "node:crypto";
import { lstat } from "node:fs/promises";
import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";
import { readChunks } from "./check-hash.ts";
import { refusePlugin } from "./refuse-plugin.ts";

/** A P-256 signature in DER has at most 72 bytes; larger curves have more. */
const signatureCharsMax = 1024;

/** Checks the cosign signature beside the program (`<program>.sig`) with the configured key. */
export async function checkCosign(
  cosignKey: KeyObject | null,
  manifest: PluginManifest,
  binaryPath: string,
): Promise<void> {
  if (cosignKey === null) return;
  const fail = (found: string, cause?: unknown) =>
    refusePlugin({
      plugin: manifest.module.Meta.Key,
      check: "cosign",
      expected: "a cosign signature of the program by the key of HUB_PLUGIN_COSIGN_PUBKEY",
      found,
      remedy: "Get the plugin from its author, built with `wick plugin build --cosign-key`.",
      cause,
    });
  const signature = await readSignature(toCosignPath(binaryPath));
  if (signature === null) throw fail("no signature beside the program");
  const verifier = createVerify("sha256");
  for await (const chunk of readChunks(binaryPath)) verifier.update(chunk);
  if (!verifier.verify(cosignKey, signature)) {
    throw fail("a signature that is not this key's for this program");
  }
}

/** Identifies a pair of key and signature; empty if cosign is not required. */
export async function findCosignMark(
  cosignKey: KeyObject | null,
  binaryPath: string,
): Promise<string> {
  if (cosignKey === null) return "";
  const signature = await readSignature(toCosignPath(binaryPath));
  return createHash("sha256")
    .update(cosignKey.export({ type: "spki", format: "der" }))
    .update(signature ?? "none")
    .digest("hex");
}

/** The path of cosign's signature of a file. */
export function toCosignPath(binaryPath: string): string {
  return `${binaryPath}.sig`;
}

async function readSignature(path: string): Promise<Buffer | null> {
  const stats = await lstat(path).catch(() => null);
  if (stats === null || !stats.isFile() || stats.size > signatureCharsMax) return null;
  return Buffer.from((await Bun.file(path).text()).trim(), "base64");
}
