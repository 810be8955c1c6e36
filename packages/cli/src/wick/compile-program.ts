import { join } from "node:path";
import { runBunBuild } from "../project/bun-build.ts";
import { type Target, toBunTarget } from "./targets.ts";

type Compilation = { folder: string; main: string; key: string; target: Target; out: string };

/**
 * Builds the standalone program for one target into a folder and returns its file name. Bun
 * downloads the runtimes of other platforms from the npm registry. Builds are reproducible.
 */
export async function compileProgram(compilation: Compilation): Promise<string> {
  const { folder, main, key, target, out } = compilation;
  const name = target.startsWith("windows/") ? `${key}.exe` : key;
  const flags = [`--target=${toBunTarget(target)}`, "--minify"];
  try {
    await runBunBuild({ mains: [main], outfile: join(out, name), flags, cwd: folder });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message.slice(-2000) : String(cause);
    throw new Error(`Building ${key} for ${target} failed: ${reason}`);
  }
  return name;
}
