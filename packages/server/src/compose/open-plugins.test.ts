import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toModuleManifest } from "@hub/connector/plugin";
import { loadConfig } from "../config.ts";
import { httpConnector } from "../connectors/builtin/http/http-connector.ts";
import { createLocalConnector } from "../connectors/local-connector.ts";
import { createConnectorRegistry } from "../connectors/registry.ts";
import { createLog } from "../lib/logs/create-log.ts";
import { nightlyTest } from "../lib/testing/nightly-test.ts";
import { createFence } from "../plugins/fence/fence.ts";
import { craftPlugin, toMembers } from "../plugins/testing/craft-plugin.ts";
import { craftZip } from "../plugins/testing/craft-zip.ts";
import { fixtureConnector } from "../plugins/testing/fixture-connector.ts";
import { testPlatform } from "../plugins/testing/open-test-plugin-host.ts";
import { createTestCall } from "../plugins/testing/test-call.ts";
import { findHostPlatform } from "../plugins/verify/check-platform.ts";
import type { Store } from "../store/store.ts";
import { openTestStore } from "../store/testing/open-test-store.ts";
import { openPlugins } from "./open-plugins.ts";

let dataDir: string;
let store: Store;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "hub-open-plugins-"));
  store = await openTestStore({ dataDir });
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
  const fence = createFence({ dataDir, mode: "off" });
  const parts = { config, fence, store, registry, log, now: Date.now, hubVersion: "1.0.0" };
  return { registry, plugins: openPlugins(parts) };
}

const entry = {
  key: "tracker",
  name: "Tracker",
  description: "A tracker.",
  version: "1.0.0",
  assets: { [testPlatform]: "t.zip" },
};

describe("the plugins of a hub", () => {
  test("Plugins are installed from the configured catalog", async () => {
    const catalog = join(dataDir, "plugins.json");
    await writeFile(catalog, JSON.stringify([entry]));
    const { plugins } = open({ HUB_PLUGIN_CATALOG: catalog });
    expect((await plugins.loadCatalog()).entries).toEqual([expect.objectContaining(entry)]);
  });

  test("Plugins are registered beside the built-in connectors, and no process runs before a call", async () => {
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
    expect([plugins.thisHub.hostPlatform, plugins.countProcesses()]).toEqual([
      findHostPlatform(),
      0,
    ]);
    await plugins.stop();
  });

  test("A plugin cannot take the key of a built-in connector (trap 26)", async () => {
    const { plugins } = open();
    const path = join(dataDir, "t.zip");
    await writeFile(path, craftZip(toMembers(craftPlugin({ key: "http" }))));
    await expect(plugins.install(path, { cwd: dataDir })).rejects.toMatchObject({
      detail: { check: "key" },
    });
  });

  test("Stopping waits for a running scan", async () => {
    const { plugins, registry } = open();
    await writeFile(join(dataDir, "t.zip"), craftZip(toMembers(craftPlugin())));
    await plugins.install(join(dataDir, "t.zip"), { cwd: dataDir });
    const again = open();
    const looking = again.plugins.sync();
    await again.plugins.stop();
    expect(again.registry.find("tracker")).not.toBeNull();
    await looking;
    expect(registry.find("tracker")).not.toBeNull();
  });
});

describe("the process of a plugin", () => {
  /** The fixture, run from its source, because compiling it is slow. */
  const source = join(import.meta.dirname, "../plugins/testing/fixture-plugin.ts");
  const program = `#!/bin/sh\nexec "${process.execPath}" "${source}" "$@"\n`;

  async function openFixture() {
    const { plugins, registry } = open();
    const path = join(dataDir, "fixture.zip");
    return {
      plugins,
      async install(version: string) {
        const module = toModuleManifest(fixtureConnector);
        const plugin = craftPlugin({ key: "fixture", program, manifest: { version, module } });
        await writeFile(path, craftZip(toMembers(plugin)));
        await plugins.install(path, { cwd: dataDir });
      },
      async call() {
        const { call } = createTestCall({ operation: "look_around" });
        const seen = await registry.find("fixture")?.invoke(call);
        // The fixture's answer.
        return seen as { pid: number; cwd: string };
      },
    };
  }

  test("A running process is counted, works in its plugin's folder and ends with the hub", async () => {
    const { plugins, install, call } = await openFixture();
    await install("1.0.0");
    const { pid, cwd } = await call();
    expect(plugins.countProcesses()).toBe(1);
    expect(cwd).toStartWith(join(dataDir, "plugins"));
    await plugins.stop();
    expect(plugins.countProcesses()).toBe(0);
    expect(() => process.kill(pid, 0)).toThrow();
  });

  nightlyTest("After an update the old process gets no more calls", async () => {
    const { plugins, install, call } = await openFixture();
    await install("1.0.0");
    const { pid } = await call();
    await install("1.1.0");
    expect((await call()).pid).not.toBe(pid);
    await plugins.stop();
  });
});
