import { tmpdir } from "node:os";
import type { Config } from "../config.ts";
import type { KeptKeys } from "../connectors/kept-keys.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import type { Log } from "../lib/logs/create-log.ts";
import { systemTimers } from "../lib/time/timers.ts";
import type { Tracing } from "../lib/tracing/tracing.ts";
import { findDefaultCatalog } from "../plugins/catalog/default-catalog.ts";
import { createPluginCatalog } from "../plugins/catalog/plugin-catalogs.ts";
import type { Fence } from "../plugins/fence/fence.ts";
import { checkUnchanged } from "../plugins/installed/check-unchanged.ts";
import { toPluginFolders } from "../plugins/installed/plugin-folders.ts";
import { createPluginHost } from "../plugins/plugin-host.ts";
import type { PluginHost } from "../plugins/plugin-host-port.ts";
import type { PluginRuntime } from "../plugins/plugin-runtime.ts";
import { loadPluginTrust } from "../plugins/plugin-trust.ts";
import { findHostPlatform } from "../plugins/verify/check-platform.ts";
import type { Store } from "../store/store.ts";

type PluginParts = {
  config: Config;
  fence: Fence;
  store: Store;
  registry: ConnectorRegistry;
  log: Log;
  now: () => number;
  hubVersion: string;
  /** Keys of built-in connectors that plugins keep. */
  keptKeys?: KeptKeys;
  tracing?: Tracing | null;
};

/** The plugin host. It loads the plugin runtime for the first plugin. */
export function openPlugins(parts: PluginParts): PluginHost & { countProcesses(): number } {
  const { config, fence, store, registry, log, now, hubVersion } = parts;
  const { keptKeys: kept = new Map(), tracing = null } = parts;
  const keptKeys = new Set(kept.keys());
  const get = { outboundAllow: config.outboundAllow };
  let runtime: PluginRuntime | null = null;
  const host = createPluginHost({
    dataDir: config.dataDir,
    db: store.db,
    keepsInDatabase: store.isShared,
    registry,
    get,
    log,
    now,
    verify: {
      trust: loadPluginTrust(config),
      hostPlatform: findHostPlatform(),
      hubVersion,
      reservedKeys: new Set([...registry.list().map(({ key }) => key), ...keptKeys]),
    },
    keptKeys,
    catalog: createPluginCatalog({
      ...get,
      location: config.pluginCatalog ?? findDefaultCatalog(),
      isDefault: config.pluginCatalog === null,
      cwd: process.cwd(),
      now,
    }),
    async createConnector(plugin) {
      const { createPluginRuntime } = await import("../plugins/plugin-runtime.ts");
      runtime ??= createPluginRuntime({
        log,
        tracing,
        timers: systemTimers,
        fence,
        env: process.env,
        systemTmp: tmpdir(),
        procsMax: config.pluginProcsMax,
        toHomeDir: ({ key }) => toPluginFolders(config.dataDir).homeOf(key),
        checkUnchanged,
      });
      return runtime.createConnector(plugin);
    },
    release: (key, next) => runtime?.release(key, next),
  });
  return {
    ...host,
    countProcesses: () => runtime?.listProcesses().length ?? 0,
    async stop() {
      await host.stop();
      await runtime?.stop();
    },
  };
}
