import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createConnectorRegistry } from "../../connectors/registry.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { type CraftedPlugin, toMembers, writePluginFolder } from "./craft-plugin.ts";
import { craftZip, type ZipMember } from "./craft-zip.ts";
import { openTestPluginHost } from "./open-test-plugin-host.ts";

type HostOptions = Parameters<typeof openTestPluginHost>[1];

/** A plugin host with real files and a real database, in the test's own folders. */
export async function openPluginBench(options: HostOptions = {}) {
  const folder = await mkdtemp(join(tmpdir(), "hub-plugins-"));
  const dataDir = join(folder, "data");
  const sources = join(folder, "sources");
  await mkdir(sources);
  const store = await openTestStore({ dataDir });
  const registry = createConnectorRegistry();
  const openHost = (more: HostOptions = {}) =>
    openTestPluginHost({ dataDir, db: store.db, registry }, { ...options, ...more });
  const host = openHost();
  let sourceCount = 0;

  async function writeSource(name: string, bytes: Uint8Array | string): Promise<string> {
    const path = join(sources, `${sourceCount++}-${name}`);
    await writeFile(path, bytes);
    return path;
  }

  return {
    folder,
    dataDir,
    db: store.db,
    sources,
    registry,
    host,
    openHost,
    writeSource,
    writeZip: (members: readonly ZipMember[]) => writeSource("plugin.zip", craftZip(members)),
    install: (source: string, more: object = {}) => host.install(source, { cwd: sources, ...more }),
    /** Installs from the same file for each key, so that all versions have the same source. */
    async installCrafted(plugin: CraftedPlugin, more: object = {}) {
      const path = join(sources, `${plugin.manifest.module.Meta.Key}.zip`);
      await writeFile(path, craftZip(toMembers(plugin)));
      return await host.install(path, { cwd: sources, ...more });
    },
    writeFolder: (plugin: CraftedPlugin) =>
      writePluginFolder(join(sources, `${sourceCount++}-folder`), plugin),
    /** Every file of the test's folder but the sources and the database, for comparison. */
    async listFiles(): Promise<string[]> {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries
        .filter((entry) => !entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
        .filter((path) => !path.startsWith("sources") && !path.startsWith("data/hub.sqlite"))
        .sort();
    },
    async close() {
      await host.stop();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
