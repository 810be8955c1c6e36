import { join } from "node:path";
import { type Target, toBunTarget } from "./targets.ts";

type Compilation = { folder: string; main: string; key: string; target: Target; out: string };

/**
 * Builds the standalone program for one target into a folder and returns its file name. Bun
 * downloads the runtimes of other platforms from the npm registry. Builds are reproducible.
 */
export async function compileProgram(compilation: Compilation): Promise<string> {
  const { folder, main, key, target, out } = compilation;
  const name = target.startsWith("windows/") ? `${key}.exe` : key;
  const bun = Bun.spawn({
    cmd: [
      process.execPath,
      "build",
      "--compile",
      `--target=${toBunTarget(target)}`,
      // The program must not read configuration files from the directory where it is started.
      "--no-compile-autoload-dotenv",
      "--no-compile-autoload-bunfig",
      "--minify",
      "--keep-names",
      main,
      `--outfile=${join(out, name)}`,
    ],
    cwd: folder,
    env: { ...process.env, BUN_BE_BUN: "1" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(bun.stdout).text(),
    new Response(bun.stderr).text(),
    bun.exited,
  ]);
  const isThere = await Bun.file(join(out, name)).exists();
  if (exitCode === 0 && isThere) return name;
  throw new Error(
    `Building ${key} for ${target} failed: ${(stderr || stdout).trim().slice(-2000) || `bun ended with ${exitCode}`}`,
  );
}
