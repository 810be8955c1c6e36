import { existsSync } from "node:fs";
import { mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { buildPlugin } from "../../packages/cli/src/wick/build/build-plugin.ts";
import { writeCatalog } from "../../packages/cli/src/wick/publish/write-catalog.ts";

/** The plugins of a checkout: the folders of `plugins/` with a package, by key. */
export async function listOwnPlugins(root: string): Promise<string[]> {
  const sources = join(root, "plugins");
  const entries = await readdir(sources, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && existsSync(join(sources, entry.name, "package.json")))
    .map((entry) => entry.name)
    .sort();
}

type OwnPluginBuild = {
  root: string;
  key: string;
  /** Folder for the archives. */
  out: string;
  /** As `<os>/<arch>`, empty for this machine; or the thin archive, which needs no network. */
  targets: readonly string[] | "thin";
  /** Ed25519 key that signs the manifest; null leaves it unsigned. */
  signKeyFile?: string | null;
};

/** Builds one plugin of the checkout. Throws if any archive cannot be built. */
export async function buildOwnPlugin(build: OwnPluginBuild): Promise<void> {
  const { root, key, out, targets, signKeyFile = null } = build;
  await buildPlugin({
    cwd: root,
    names: { wick: "npx wick", hub: "npx hub" },
    key,
    targets: targets === "thin" ? [] : targets,
    thin: targets === "thin" ? { hub: null } : null,
    out,
    protocol: 2,
    compress: true,
    signKeyFile,
    cosignKeyFile: null,
    report: (line) => console.error(line),
  });
}

/** Builds the catalog that the hub as one file has in it: the thin archives of all plugins of the checkout. */
export async function buildThinPlugins(
  root: string,
  out: string,
  signKeyFile: string | null,
): Promise<void> {
  await mkdir(out, { recursive: true });
  for (const key of await listOwnPlugins(root)) {
    await buildOwnPlugin({ root, key, out, targets: "thin", signKeyFile });
  }
  await writeCatalog(
    { cwd: root, env: {} },
    { repo: null, from: out, baseUrl: null, out: join(out, "plugins.json") },
  );
}
