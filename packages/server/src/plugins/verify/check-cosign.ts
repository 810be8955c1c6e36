import { createHash, createVerify, type KeyObject } from "node:crypto";
import { lstat } from "node:fs/promises";
import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";
import { refusePlugin } from "./refuse-plugin.ts";

/** A P-256 signature in DER has 72 bytes at most; this leaves room for larger curves. */
const signatureCharsMax = 1024;

/** The cosign signature beside the program (`<program>.sig`) is the configured key's. */
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
  if (signature === null) throw fail("none beside the program");
  const verifier = createVerify("sha256");
  for await (const chunk of Bun.file(binaryPath).stream()) verifier.update(chunk);
  if (!verifier.verify(cosignKey, signature)) throw fail("one that this key did not make for it");
}

/** Tells one pair of key and signature from any other; empty where cosign is not asked for. */
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

/** Where cosign's classic signature of a file stands. */
export function toCosignPath(binaryPath: string): string {
  return `${binaryPath}.sig`;
}

async function readSignature(path: string): Promise<Buffer | null> {
  const stats = await lstat(path).catch(() => null);
  if (stats === null || !stats.isFile() || stats.size > signatureCharsMax) return null;
  return Buffer.from((await Bun.file(path).text()).trim(), "base64");
}
