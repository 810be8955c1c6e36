import { createReadStream } from "node:fs";
import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";
import { refusePlugin } from "./refuse-plugin.ts";

/**
 * Checks that the program is the one that the manifest describes, byte for byte. A program that was
 * removed meanwhile is refused too, so that it does not stop the scan of the other plugins.
 */
export async function checkHash(manifest: PluginManifest, path: string): Promise<void> {
  const sha256 = await hashFile(path).catch((cause) => {
    throw refusePlugin({
      plugin: manifest.module.Meta.Key,
      check: "program",
      expected: "a program that can be read",
      found: "one that was removed meanwhile, or that the hub may not read",
      remedy: "Call again if the plugin is being installed or removed. Otherwise install it again.",
      cause,
    });
  });
  if (sha256 === manifest.sha256) return;
  throw refusePlugin({
    plugin: manifest.module.Meta.Key,
    check: "sha256",
    expected: `a program with the SHA-256 ${manifest.sha256}`,
    found: sha256,
    remedy:
      "The program was damaged or replaced after it was built. Install it again from a source that you trust.",
  });
}

/** The SHA-256 of a file in lower-case hex. */
export async function hashFile(path: string): Promise<string> {
  const hash = new Bun.CryptoHasher("sha256");
  for await (const chunk of readChunks(path)) hash.update(chunk);
  return hash.digest("hex");
}

/**
 * The bytes of a file. Between two chunks other work gets its turn: `Bun.file(path).stream()` reads a
 * file of 100 MiB in one go of 100 ms.
 */
export function readChunks(path: string): AsyncIterable<Uint8Array> {
  return createReadStream(path, { highWaterMark: 1024 * 1024 });
}
