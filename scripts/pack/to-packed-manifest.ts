import type { Needed } from "./find-needed.ts";
import { neededUnseen, type PackedName, typedExports } from "./packed-packages.ts";

type Manifest = {
  version: string;
  dependencies?: Record<string, string>;
  /** Optional packages. */
  peerDependencies?: Record<string, string>;
  [member: string]: unknown;
};

export type ManifestParts = {
  name: PackedName;
  /** That of the checkout. */
  manifest: Manifest;
  /** Null for a package without sources. */
  needed: Needed | null;
  bunVersion: string;
  /** Of the build, for `hub version`. */
  build: { server_build_time: string; server_commit: string };
};

/**
 * The `package.json` of a package for npm: it depends on the hub's other packages with this version alone. Throws if a file
 * imports a package that is not a dependency, or a file that is not in a package.
 */
export function toPackedManifest({ name, manifest, needed, bunVersion, build }: ManifestParts) {
  const { private: _, scripts: __, devDependencies: ___, dependencies = {}, ...own } = manifest;
  const common = { ...own, ...(name === "server" && { hub_build: build }) };
  // The app's packages are in its files.
  if (needed === null) return common;
  const { broken, packages } = needed;
  if (broken.length > 0) throw new Error(`Not in the packages:\n${broken.join("\n")}`);
  const isOwn = (each: string) => each.startsWith("@hub/");
  const listed = { ...dependencies, ...manifest.peerDependencies };
  const unlisted = packages.filter((each) => !isOwn(each) && !(each in listed));
  if (unlisted.length > 0) {
    throw new Error(`packages/${name}/package.json does not have: ${unlisted.join(", ")}.`);
  }
  const all = [...packages.filter(isOwn), ...Object.keys(neededUnseen[name] ?? {})];
  const added = all
    .filter((each) => each !== manifest.name)
    .map((each) => [each, each === "bun" ? bunVersion : manifest.version]);
  const sorted = Object.entries({ ...dependencies, ...Object.fromEntries(added) }).sort();
  return { ...common, ...toExports(name), dependencies: Object.fromEntries(sorted) };
}

function toExports(name: PackedName) {
  const typed = Object.entries(typedExports[name] ?? {});
  if (typed.length === 0) return {};
  return {
    exports: Object.fromEntries(
      typed.map(([path, file]) => [
        path,
        { types: `./types/${file}.d.ts`, default: `./src/${file}.ts` },
      ]),
    ),
  };
}
