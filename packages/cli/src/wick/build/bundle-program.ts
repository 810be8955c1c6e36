import { readFile, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { join, resolve } from "node:path";
import { z } from "zod";
import { collectLicences } from "./collect-licences.ts";

type Bundling = { folder: string; main: string; key: string; out: string };

const metafileSchema = z.object({ inputs: z.record(z.string(), z.unknown()) });

/**
 * Bundles a plugin into one file for the hub's own executable and returns its name. The licences of the
 * packages in it are at its end. Bundles are reproducible.
 */
export async function bundleProgram({ folder, main, key, out }: Bundling): Promise<string> {
  const name = `${key}.js`;
  const file = join(out, name);
  const metafile = join(out, "inputs.json");
  await runBundler({ key, folder, flags: [`--metafile=${metafile}`, main, `--outfile=${file}`] });
  const code = await readFile(file, "utf8");
  checkImports(key, code);
  const { inputs } = metafileSchema.parse(await Bun.file(metafile).json());
  const licences = await collectLicences(Object.keys(inputs).map((path) => resolve(folder, path)));
  await writeFile(file, `${code.trimEnd()}\n${toComment(licences)}`);
  return name;
}

async function runBundler({
  key,
  folder,
  flags,
}: {
  key: string;
  folder: string;
  flags: string[];
}) {
  const bun = Bun.spawn({
    cmd: [process.execPath, "build", "--target=bun", "--minify", "--keep-names", ...flags],
    cwd: folder,
    // Options of this program, such as `--preload`, are not options of the compiler.
    env: { ...process.env, BUN_BE_BUN: "1", BUN_OPTIONS: "" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    bun.stdout.text(),
    bun.stderr.text(),
    bun.exited,
  ]);
  if (exitCode === 0) return;
  throw new Error(`Bundling ${key} failed: ${(stderr || stdout).trim().slice(-2000)}`);
}

/** A module that is not in the bundle would be looked for in folders that no signature covers. */
function checkImports(key: string, code: string): void {
  const imports = new Bun.Transpiler({ loader: "js" }).scanImports(code);
  const missing = imports.filter(({ path }) => !isBuiltin(path) && !path.startsWith("bun:"));
  if (missing.length === 0) return;
  const names = [...new Set(missing.map(({ path }) => path))].join(", ");
  throw new Error(
    `The bundle of ${key} would load modules that are not in it: ${names}. Install them, or build a standalone program without --thin.`,
  );
}

function toComment(text: string): string {
  return text === "" ? "" : `/*!\n${text.replaceAll("*/", "* /")}\n*/\n`;
}
