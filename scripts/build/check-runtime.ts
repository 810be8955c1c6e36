import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The runtimes' version. Another one needs other sums. */
const version = "1.4.4";

/**
 * SHA-256 of the runtimes in the packages `@oven/bun-…` of the npm registry, by the compiler's targets. The compiler
 * downloads them and does not check them.
 */
const sums: Readonly<Record<string, string>> = {
  "bun-darwin-arm64": "0a2237cdcfa0d16ef501d9acca9f0026309ef348bea7393a64e8d1e3609565cc",
  "bun-darwin-x64": "c35307c7d45d65c5a385a58c4a6cb0bb9499e4e626abdee207c177a77ba666ab",
  "bun-linux-arm64": "354c2b049c716aca07b2e5cddb887928ac58950675d1258bb6312083917793b6",
  "bun-linux-arm64-musl": "a6a3d99a48600b59597070d2d2ff8d37b65975b8aab247ee3479b1eb33d000a6",
  "bun-linux-x64-baseline": "10702245766b225e70bbf6235fd6b47214fd94b4760d00ffaed8ab0df57ac235",
  "bun-linux-x64-musl-baseline": "29a31375a72f97c7e3fc25dd57d7dde88da5907aa8970808f57f91e0711bdad2",
  "bun-windows-x64-baseline": "cb1d8e6564e655e49d30cead359750a1cbbd12f42651caa4b62244d7bd93c244",
};

/** The folder of the downloaded runtimes. */
export const runtimeFolder =
  process.env.BUN_INSTALL_CACHE_DIR ??
  join(process.env.BUN_INSTALL ?? join(homedir(), ".bun"), "install", "cache");

/** Throws unless the runtime that the compiler has used is the published one. */
export async function checkRuntime(target: string, folder = runtimeFolder): Promise<void> {
  const downloaded = join(folder, `${target.replace("arm64", "aarch64")}-v${Bun.version}`);
  // For its own platform, the compiler takes itself.
  const path = existsSync(downloaded) ? downloaded : process.execPath;
  const sum = sums[target];
  if (sum === undefined || Bun.version !== version) {
    throw new Error(
      `There is no sum for the runtime ${target} of Bun ${Bun.version}. Add it to scripts/build/check-runtime.ts, from the package in the npm registry.`,
    );
  }
  const hash = createHash("sha256");
  for await (const chunk of Bun.file(path).stream()) hash.update(chunk);
  const found = hash.digest("hex");
  if (found === sum) return;
  throw new Error(
    `The runtime ${path} is not the published one: its SHA-256 is ${found} instead of ${sum}. Delete it, and build again.`,
  );
}
