import type { RegisteredConnector } from "../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import { HubError } from "../errors.ts";
import type { InstalledPlugin } from "./installed/installed-plugin.ts";
import type {
  InstalledPlugins,
  PluginFolder,
  PluginSharing,
} from "./installed/installed-plugins.ts";
import type { VerifiedPlugin } from "./verify/verify-plugin.ts";

export type SyncLog = {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
};

export type SyncDeps = {
  installed: InstalledPlugins;
  registry: ConnectorRegistry;
  listDisabled(): Promise<ReadonlySet<string>>;
  /** Loads the plugin runtime, so it is called only if there is a plugin. */
  createConnector(plugin: InstalledPlugin): Promise<RegisteredConnector>;
  /**
   * New calls use `next` or are refused; running calls finish, then the old process ends. Called for
   * every registration, because a plugin that returns may have another version.
   */
  release(key: string, next: InstalledPlugin | null): void;
  log: SyncLog;
};

/** A plugin's folder and its state. */
export type PluginState = {
  key: string;
  plugin: VerifiedPlugin | null;
  enabled: boolean;
  /** Why the plugin cannot be called; null if it can or if it is disabled. */
  problem: string | null;
  /** The version that a refused plugin says it has. */
  refusedVersion?: string | null;
} & PluginSharing;

export type RegistrySync = {
  /** Updates the registry to the installed, verified and enabled plugins. */
  run(): Promise<PluginState[]>;
  /** The plugins as they are now, without a change to the registry. */
  list(): Promise<PluginState[]>;
};

export function createRegistrySync(deps: SyncDeps): RegistrySync {
  /** The registered plugins and their versions. */
  const registered = new Map<string, string>();
  const loggedProblems = new Map<string, string | null>();
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
      // One step, so that calls always find the connector.
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

  /** Logs a problem once. */
  function logProblem(key: string, problem: string | null): void {
    if (problem !== null && loggedProblems.get(key) !== problem) {
      deps.log.warn({ plugin: key, problem }, "plugin not registered");
    }
    loggedProblems.set(key, problem);
  }

  return {
    async run() {
      const disabled = await deps.listDisabled();
      const folders = await deps.installed.scan();
      const keys = new Set(folders.map(({ key }) => key));
      for (const key of [...registered.keys()]) if (!keys.has(key)) take(key);
      const awaited = folders.filter(
        ({ key, plugin, sharing }) =>
          plugin === null && typeof sharing?.awaitedVersion === "string" && !disabled.has(key),
      );
      deps.registry.setAwaited(new Set(awaited.map(({ key }) => key)));
      const states: PluginState[] = [];
      for (const folder of folders) {
        const { key, plugin, sharing = unshared } = folder;
        const problem = await put(folder, disabled.has(key));
        logProblem(key, problem);
        const enabled = !disabled.has(key);
        states.push({ key, plugin, enabled, problem, ...toRefusedVersion(folder), ...sharing });
      }
      return states;
    },

    async list() {
      const disabled = await deps.listDisabled();
      const folders = await deps.installed.scan();
      return folders.map((folder) => {
        const { key, plugin, refusal, sharing = unshared } = folder;
        const enabled = !disabled.has(key);
        const failure = plugin === null || !enabled ? null : failures.get(toIdentity(plugin));
        const problem = refusal?.message ?? failure ?? null;
        return { key, plugin, enabled, problem, ...toRefusedVersion(folder), ...sharing };
      });
    },
  };
}

/** The state of a plugin whose folder is the only one, or the same as all others. */
export const unshared: PluginSharing = { awaitedVersion: null, isOnlyHere: false, note: null };

function toRefusedVersion(folder: PluginFolder): Pick<PluginState, "refusedVersion"> {
  return folder.plugin === null ? { refusedVersion: folder.refusedVersion ?? null } : {};
}

/** Changes with the program and with its description. */
function toIdentity({ dir, manifest, signature }: VerifiedPlugin): string {
  return JSON.stringify([dir, manifest, signature]);
}
