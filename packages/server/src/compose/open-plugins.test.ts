import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../config.ts";
import { httpConnector } from "../connectors/builtin/http.ts";
import { createLocalConnector } from "../connectors/local-connector.ts";
import { createConnectorRegistry } from "../connectors/registry.ts";
import { createLog } from "../lib/create-log.ts";
import { craftPlugin, toMembers } from "../plugins/testing/craft-plugin.ts";
import { craftZip } from "../plugins/testing/craft-zip.ts";
import { testPlatform } from "../plugins/testing/open-test-plugin-host.ts";
import { findHostPlatform } from "../plugins/verify/check-platform.ts";
import { openStore, type Store } from "../store/open-store.ts";
import { openPlugins } from "./open-plugins.ts";

let dataDir: string;
let store: Store;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-open-plugins-"));
  store = await openStore({ dataDir });
});
afterEach(async () => {
  await store.close();
  await rm(dataDir, { recursive: true });
});

function open(env: Record<string, string> = {}) {
  const { config } = loadConfig({ cwd: dataDir, env: { HUB_DATA_DIR: dataDir, ...env } });
  const registry = createConnectorRegistry();
  registry.register(createLocalConnector(httpConnector, () => ({})));
  const log = createLog("silent");
  return { registry, plugins: openPlugins({ config, store, registry, log, now: Date.now }) };
}

const entry = {
  ...{ key: "tracker", name: "Tracker", description: "A tracker.", version: "1.0.0" },
  assets: { [testPlatform]: "t.zip" },
};

describe("the plugins of a hub", () => {
  test("come from the catalog that the settings name", async () => {
    const catalog = join(dataDir, "plugins.json");
    await writeFile(catalog, JSON.stringify([entry]));
    const { plugins } = open({ HUB_PLUGIN_CATALOG: catalog });
    expect((await plugins.loadCatalog()).entries).toEqual([expect.objectContaining(entry)]);
  });

  test("are registered beside the built-in connectors, and no process runs before a call", async () => {
    const { plugins, registry } = open();
    const path = join(dataDir, "t.zip");
    await writeFile(path, craftZip(toMembers(craftPlugin())));
    expect(await plugins.install(path, { cwd: dataDir })).toMatchObject({ problem: null });
    expect(
      registry
        .list()
        .map(({ key }) => key)
        .toSorted(),
    ).toEqual(["http", "tracker"]);
    expect([plugins.hostPlatform, plugins.countProcesses()]).toEqual([findHostPlatform(), 0]);
    await plugins.stop();
  });

  test("take the key of no built-in connector (trap 26)", async () => {
    const { plugins } = open();
    const path = join(dataDir, "t.zip");
    await writeFile(path, craftZip(toMembers(craftPlugin({ key: "http" }))));
    await expect(plugins.install(path, { cwd: dataDir })).rejects.toMatchObject({
      detail: { check: "key" },
    });
  });

  test("a stop waits for a look at them that is under way", async () => {
    const { plugins, registry } = open();
    await writeFile(join(dataDir, "t.zip"), craftZip(toMembers(craftPlugin())));
    await plugins.install(join(dataDir, "t.zip"), { cwd: dataDir });
    const again = open();
    const looking = again.plugins.list();
    await again.plugins.stop();
    expect(again.registry.find("tracker")).not.toBeNull();
    await looking;
    expect(registry.find("tracker")).not.toBeNull();
  });
});
