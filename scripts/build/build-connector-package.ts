import { createHash } from "node:crypto";
import { mkdir, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { collectLicences } from "../../packages/cli/src/wick/build/collect-licences.ts";

type ConnectorPackage = { root: string; out: string; version: string };

/**
 * Writes `@hub/connector` as one package that needs no other: modules with all that they import, the types, and
 * the licences. `wick` in the one file gives it to plugins.
 */
export async function buildConnectorPackage({ root, out, version }: ConnectorPackage) {
  const source = join(root, "packages", "connector", "src");
  const mains = [join(source, "index.ts"), join(source, "plugin", "index.ts")];
  await mkdir(out, { recursive: true });
  const { metafile } = await Bun.build({
    entrypoints: mains,
    outdir: join(out, "js"),
    root: source,
    target: "bun",
    splitting: true,
    minify: { whitespace: true, syntax: true, keepNames: true },
    metafile: true,
    // Otherwise the paths of this machine would be in it.
    define: { __dirname: '"/connector"', __filename: '"/connector/file"' },
  });
  await writeTypes({ root, source, mains, out: join(out, "types") });
  const inputs = Object.keys(metafile?.inputs ?? {}).map((path) => resolve(path));
  const licence = await Bun.file(join(root, "LICENSE")).text();
  await Bun.write(join(out, "LICENSE"), `${licence}\n----\n\n${await collectLicences(inputs)}\n`);
  const entry = (path: string) => ({ types: `./types/${path}.d.ts`, default: `./js/${path}.js` });
  const manifest = {
    name: "@hub/connector",
    version,
    license: "MIT",
    type: "module",
    exports: { ".": entry("index"), "./plugin": entry("plugin/index") },
    // Tells `wick` whether a plugin's package is of this hub.
    hub_build: await hashFolder(out),
  };
  await Bun.write(join(out, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
}

type Types = { root: string; source: string; mains: readonly string[]; out: string };

/** Writes the types of modules, and of what they import in the same folder. */
export async function writeTypes({ root, source, mains, out }: Types): Promise<void> {
  const project = join(out, "tsconfig.json");
  await Bun.write(
    project,
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        stripInternal: true,
        rootDir: source,
        outDir: out,
        typeRoots: [join(root, "node_modules", "@types")],
      },
      // With its declarations of `.proto` files.
      include: [`${source}/**/*.d.ts`],
      files: mains,
    }),
  );
  const tsc = join(root, "node_modules", ".bin", "tsc");
  const child = Bun.spawnSync([tsc, "-p", project], { cwd: root });
  if (!child.success) throw new Error(`The types cannot be written: ${child.stdout}`);
  await rm(project);
}

async function hashFolder(folder: string): Promise<string> {
  const hash = createHash("sha256");
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name));
  for (const path of paths.sort()) hash.update(await Bun.file(path).bytes());
  return hash.digest("hex");
}
