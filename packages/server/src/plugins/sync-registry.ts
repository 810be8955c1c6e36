import type { RegisteredConnector } from "../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import { HubError } from "../errors.ts";
import type { InstalledPlugin } from "./installed-plugin.ts";
import type { InstalledPlugins, PluginFolder } from "./installed-plugins.ts";
import type { VerifiedPlugin } from "./verify/verify-plugin.ts";

export type SyncLog = {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
};

export type SyncDeps = {
  installed: InstalledPlugins;
  registry: ConnectorRegistry;
  listDisabled(): Promise<ReadonlySet<string>>;
  /** Loads what plugins need, so it is called only when there is one. */
  createConnector(plugin: InstalledPlugin): Promise<RegisteredConnector>;
  /**
   * New calls go to `next`, or nowhere; calls in flight finish, then the old process ends. Told of
   * every registration: a plugin that comes back may be another version.
   */
  release(key: string, next: InstalledPlugin | null): void;
  log: SyncLog;
};

/** A plugin's folder with what became of it. */
export type PluginState = {
  key: string;
  plugin: VerifiedPlugin | null;
  enabled: boolean;
  /** Why the plugin is not there for calls; null where it is, or is switched off. */
  problem: string | null;
};

export type RegistrySync = {
  /** Makes the registry hold what is installed, verified and enabled; touches only what changed. */
  run(): Promise<PluginState[]>;
  /** The plugins as they are now, without a change to the registry. */
  list(): Promise<PluginState[]>;
};

export function createRegistrySync(deps: SyncDeps): RegistrySync {
  /** What is registered, and as which version of it. */
  const registered = new Map<string, string>();
  const told = new Map<string, string | null>();
  /** Why a version could not be registered, by its identity. */
  const failures = new Map<string, string>();

  async function put(folder: PluginFolder, isDisabled: boolean): Promise<string | null> {
    const { key, plugin } = folder;
    if (plugin === null || isDisabled) {
      take(key);
      return folder.refusal?.message ?? null;
    }
    const identity = toIdentity(plugin);
    const present = registered.get(key);
    if (present === identity) return null;
    try {
      const installed = { ...plugin, enabled: true, problem: null };
      const connector = await deps.createConnector(installed);
      // In one step: between two, a call would find no such connector.
      if (present === undefined) deps.registry.register(connector);
      else deps.registry.replace(connector);
      deps.release(key, installed);
    } catch (thrown) {
      take(key);
      if (!(thrown instanceof HubError)) throw thrown;
      failures.set(identity, thrown.message);
      return thrown.message;
    }
    failures.delete(identity);
    registered.set(key, identity);
    deps.log.info({ plugin: key, version: plugin.version }, "plugin registered");
    return null;
  }

  function take(key: string): void {
    if (!registered.delete(key)) return;
    deps.registry.unregister(key);
    deps.release(key, null);
    deps.log.info({ plugin: key }, "plugin unregistered");
  }

  function tell(key: string, problem: string | null): void {
    if (problem !== null && told.get(key) !== problem) {
      deps.log.warn({ plugin: key, problem }, "plugin not registered");
    }
    told.set(key, problem);
  }

  return {
    async run() {
      const disabled = await deps.listDisabled();
      const folders = await deps.installed.scan();
      const keys = new Set(folders.map(({ key }) => key));
      for (const key of [...registered.keys()]) if (!keys.has(key)) take(key);
      const states: PluginState[] = [];
      for (const folder of folders) {
        const { key, plugin } = folder;
        const problem = await put(folder, disabled.has(key));
        tell(key, problem);
        states.push({ key, plugin, enabled: !disabled.has(key), problem });
      }
      return states;
    },

    async list() {
      const disabled = await deps.listDisabled();
      const folders = await deps.installed.scan();
      return folders.map(({ key, plugin, refusal }) => {
        const enabled = !disabled.has(key);
        const failure = plugin === null || !enabled ? null : failures.get(toIdentity(plugin));
        return { key, plugin, enabled, problem: refusal?.message ?? failure ?? null };
      });
    },
  };
}

/** Differs whenever another program, or another description of it, is to be used. */
function toIdentity({ dir, manifest, signature }: VerifiedPlugin): string {
  return JSON.stringify([dir, manifest, signature]);
}
