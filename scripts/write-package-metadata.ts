/**
 * Writes what all `package.json` have in common: the version of `VERSION`, also where packages depend on each other, the licence,
 * `engines`, and `repository`, `bugs` and `homepage` from `maintainers.json`: `bun scripts/write-package-metadata.ts`, then
 * `npm install` if a version has changed. With `--check` it only says which files differ, or have no description.
 */
import { join, resolve } from "node:path";
import { Glob } from "bun";
import { type Maintainers, readMaintainers } from "./read-maintainers.ts";

const root = resolve(import.meta.dirname, "..");

type Manifest = { name: string; [member: string]: unknown };
type Common = { version: string; maintainers: Pick<Maintainers, "repository"> };

/** The manifest of a folder, such as `packages/cli`, with the members that all have. Plugins have versions of their own. */
export function toManifest(manifest: Manifest, folder: string, common: Common): Manifest {
  const { repository: _, bugs: __, homepage: ___, ...own } = manifest;
  const isPlugin = folder.startsWith("plugins/");
  return {
    ...own,
    ...(!isPlugin && { version: common.version }),
    license: "MIT",
    ...toAddresses(folder, common.maintainers),
    engines: { node: ">=20" },
    ...(own.dependencies !== undefined && {
      dependencies: toDependencies(own.dependencies, common.version),
    }),
  };
}

function toAddresses(folder: string, { repository }: Common["maintainers"]) {
  if (repository === "") return {};
  return {
    homepage: `${repository}#readme`,
    bugs: { url: `${repository}/issues` },
    repository: {
      type: "git",
      url: `git+${repository}.git`,
      ...(folder !== "" && { directory: folder }),
    },
  };
}

function toDependencies(dependencies: unknown, version: string): Record<string, unknown> {
  const entries = Object.entries(Object(dependencies));
  return Object.fromEntries(
    entries.map(([name, range]) => [name, name.startsWith("@hub/") ? version : range]),
  );
}

/** The folders with a `package.json` of this checkout; "" is the root. */
export function listPackageFolders(): string[] {
  const found = [...new Glob("{packages,plugins}/*/package.json").scanSync(root)].sort();
  return ["", ...found.map((path) => path.slice(0, -"/package.json".length))];
}

/** The texts that the files should have, by their paths, of those that differ; and the faults that no program mends. */
export async function findOutdated(): Promise<{ texts: Map<string, string>; faults: string[] }> {
  const version = (await Bun.file(join(root, "VERSION")).text()).trim();
  const maintainers = await readMaintainers(root);
  const texts = new Map<string, string>();
  const faults: string[] = [];
  for (const folder of listPackageFolders()) {
    const path = join(folder, "package.json");
    const manifest: Manifest = await Bun.file(join(root, path)).json();
    for (const member of ["description", "keywords"]) {
      if (!(member in manifest)) faults.push(`${path} has no ${member}.`);
    }
    const wanted = toManifest(manifest, folder, { version, maintainers });
    if (!Bun.deepEquals(manifest, wanted)) {
      texts.set(path, `${JSON.stringify(wanted, null, 2)}\n`);
    }
  }
  return { texts, faults };
}

if (import.meta.main) {
  const { texts, faults } = await findOutdated();
  const isCheck = process.argv.includes("--check");
  for (const [path, text] of texts) {
    if (isCheck) faults.push(`${path} is not up to date: bun scripts/write-package-metadata.ts`);
    else await Bun.write(join(root, path), text);
  }
  for (const fault of faults) console.error(fault);
  process.exit(faults.length > 0 ? 1 : 0);
}
