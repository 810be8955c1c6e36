import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { isBuiltin } from "node:module";
import { dirname, join, resolve, sep } from "node:path";
import { z } from "zod";

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
  await writeFile(file, `${code.trimEnd()}\n${licences}`);
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
    env: { ...process.env, BUN_BE_BUN: "1" },
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

/** A comment with the licence of each package that a file of the bundle comes from. */
async function collectLicences(files: readonly string[]): Promise<string> {
  const folders = [...new Set(files.flatMap((file) => findPackage(file) ?? []))].sort();
  const texts = new Map<string, string>();
  for (const folder of folders) {
    const { name = "", version = "" } = await Bun.file(join(folder, "package.json")).json();
    texts.set(`${name} ${version}`, await readLicence(folder));
  }
  const parts = [...texts].sort().map(([title, text]) => `${title}\n\n${text}`);
  if (parts.length === 0) return "";
  return `/*!\n${parts.join("\n\n----\n\n").replaceAll("*/", "* /")}\n*/\n`;
}

/** The folder of the package in `node_modules` that a file belongs to; null for the plugin's own files. */
function findPackage(file: string): string | null {
  if (!file.includes(`${sep}node_modules${sep}`)) return null;
  for (let at = dirname(file); at !== dirname(at); at = dirname(at)) {
    const isPackage = /[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+$/.test(at);
    if (isPackage) return existsSync(join(at, "package.json")) ? at : null;
  }
  return null;
}

async function readLicence(folder: string): Promise<string> {
  const names = (await readdir(folder)).filter((name) => /^(?:licen[cs]e|notice)\b/i.test(name));
  const texts = names.sort().map((name) => readFile(join(folder, name), "utf8"));
  if (texts.length > 0) return (await Promise.all(texts)).map((text) => text.trim()).join("\n\n");
  const { license } = await Bun.file(join(folder, "package.json")).json();
  return `Licence: ${typeof license === "string" ? license : "not stated"}`;
}
