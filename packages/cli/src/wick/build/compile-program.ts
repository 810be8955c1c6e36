import { join } from "node:path";
import { openEmbedded } from "@hub/server/lib/files/packed-files.ts";
import { findHostPlatform } from "@hub/server/plugins/verify/check-platform.ts";
import { runBunBuild } from "../../project/bun-build.ts";
import { type Target, toBunTarget } from "./targets.ts";

type Compilation = { folder: string; main: string; key: string; target: Target; out: string };

/**
 * Builds the standalone program for one target into a folder and returns its file name. Bun
 * downloads the runtimes of other platforms from the npm registry. Builds are reproducible.
 */
export async function compileProgram(compilation: Compilation): Promise<string> {
  const { folder, main, key, target, out } = compilation;
  const name = target.startsWith("windows/") ? `${key}.exe` : key;
  const flags = [...(await findRuntime(target)), "--minify"];
  try {
    await runBunBuild({ mains: [main], outfile: join(out, name), flags, cwd: folder });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.slice(-2000) : String(cause);
    throw new Error(`Building ${key} for ${target} failed: ${reason}`);
  }
  return name;
}

/** The hub as one file has the runtime of its platform in it, so nothing is downloaded for this machine. */
async function findRuntime(target: Target): Promise<string[]> {
  const isOwn = target === findHostPlatform() && (await openEmbedded("connector")) !== null;
  return isOwn ? [] : [`--target=${toBunTarget(target)}`];
}
