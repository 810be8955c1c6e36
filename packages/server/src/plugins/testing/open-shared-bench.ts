import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createConnectorRegistry } from "../../connectors/registry.ts";
import { openTestStore } from "../../store/testing/open-test-store.ts";
import { type CraftedPlugin, toMembers } from "./craft-plugin.ts";
import { craftZip } from "./craft-zip.ts";
import { openTestPluginHost, testPlatform } from "./open-test-plugin-host.ts";

type HostOptions = Parameters<typeof openTestPluginHost>[1];

/** Servers with a folder each, which share one database that says what is installed. */
export async function openSharedBench() {
  const folder = await mkdtemp(join(tmpdir(), "hub-shared-"));
  const store = await openTestStore({ dataDir: join(folder, "database") });
  const sources = join(folder, "sources");
  await mkdir(sources);
  const hosts: Array<ReturnType<typeof openTestPluginHost>> = [];

  /** Writes an archive to the same path for each key and platform. */
  async function writeArchive(plugin: CraftedPlugin): Promise<string> {
    const { module, os_arch: platforms } = plugin.manifest;
    const name = `${module.Meta.Key}-${platforms.join("-").replaceAll("/", "-")}.zip`;
    const path = join(sources, name);
    await writeFile(path, craftZip(toMembers(plugin)));
    return path;
  }

  return {
    db: store.db,
    sources,
    writeArchive,
    toDataDir: (name: string) => join(folder, name),
    /** A server; the same name is the same folder. */
    openServer(name: string, options: HostOptions & { platform?: string } = {}) {
      const dataDir = join(folder, name);
      const registry = createConnectorRegistry();
      const released: Array<string | null> = [];
      const { platform = testPlatform, ...more } = options;
      const host = openTestPluginHost(
        { dataDir, db: store.db, registry },
        {
          keepsInDatabase: true,
          platform,
          release: (_key, next) => released.push(next?.version ?? null),
          ...more,
        },
      );
      hosts.push(host);
      return {
        dataDir,
        registry,
        host,
        /** The versions that calls of the plugin have used, in order; null without one. */
        released,
        listKeys: () => registry.list().map(({ key }) => key),
        install: async (plugin: CraftedPlugin, more: object = {}) =>
          await host.install(await writeArchive(plugin), { cwd: sources, ...more }),
        /** The version of the plugin that this server calls; null without one. */
        async findVersion(key = "tracker") {
          if (registry.find(key) === null) return null;
          return (await host.find(key)).plugin?.version ?? null;
        },
      };
    },
    async close() {
      for (const host of hosts) await host.stop();
      await store.close();
      await rm(folder, { recursive: true });
    },
  };
}
