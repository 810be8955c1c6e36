import type {
  Plugin,
  PluginOffer,
  PluginProgress,
  PluginSearch,
  PluginUpdate,
} from "@hub/contract/plugin.ts";
import type { CatalogEntry } from "@hub/contract/plugin-catalog.ts";
import { HubError } from "../errors.ts";
import { isNewerVersion } from "../plugins/install/check-version.ts";
import type { PluginHost } from "../plugins/plugin-host.ts";
import type { PluginState } from "../plugins/sync-registry.ts";
import type { Store } from "../store/open-store.ts";
import type { Change, ChangeRecorder } from "./change-recorder.ts";

type PluginDeps = { store: Pick<Store, "db">; plugins: PluginHost; changes: ChangeRecorder };

export type PluginInstallInput = {
  allowDowngrade?: boolean;
  /** Lets it take the place of a plugin from another source. */
  replace?: boolean;
  /** Lets plain http through. */
  insecure?: boolean;
  /** The folder that relative paths count from. */
  cwd: string;
  onProgress?: (progress: PluginProgress) => void;
  signal?: AbortSignal;
};

export type PluginVerbs = ReturnType<typeof createPluginVerbs>;

/** Verbs on plugins. They change files and the database; every running hub follows within seconds. */
export function createPluginVerbs({ store, plugins, changes }: PluginDeps) {
  /** After the deed: files changed, and no transaction takes that back. */
  const note = (
    action: Change["action"],
    state: PluginState,
    detail: Record<string, unknown> = {},
  ) =>
    changes.record(store.db, {
      action,
      kind: "plugin",
      id: state.key,
      name: state.plugin?.manifest.module.Meta?.Name || state.key,
      detail: { ...detail, version: state.plugin?.version ?? null },
    });
  const noted = async (action: Change["action"], change: Promise<PluginState>): Promise<Plugin> => {
    const state = await change;
    await note(action, state);
    return toPlugin(state);
  };

  const update = async (key: string, input: PluginInstallInput): Promise<PluginUpdate> => {
    const present = await plugins.find(key);
    const offer = await plugins.findOffer(key);
    const previous = present.plugin?.version ?? null;
    // One that was refused is put right by installing it again, whatever its version was.
    if (previous !== null && !isNewerVersion(offer.version, previous)) {
      return { ...toPlugin(present), previous_version: previous, updated: false };
    }
    const state = await plugins.install(key, input);
    await note("plugin.update", state, { from: previous });
    return { ...toPlugin(state), previous_version: previous, updated: true };
  };

  return {
    async list(): Promise<Plugin[]> {
      return (await plugins.list()).map(toPlugin);
    },

    async show(key: string): Promise<Plugin> {
      return toPlugin(await plugins.find(key));
    },

    /** Plugins of the catalog whose key, name or description contain every word of the query. */
    async search(query = ""): Promise<PluginSearch> {
      const { entries, staleSince } = await plugins.loadCatalog();
      const installed = new Map(
        (await plugins.list()).map(({ key, plugin }) => [key, plugin?.version ?? null]),
      );
      const words = query.toLowerCase().split(/\s+/).filter(Boolean);
      return {
        plugins: entries
          .filter((entry) => matches(entry, words))
          .map((entry) => toOffer(plugins.hostPlatform, entry, installed.get(entry.key) ?? null)),
        stale_since: staleSince?.toISOString() ?? null,
      };
    },

    /** From a name of the catalog, a folder, a .zip or .tar.gz file, or an address. */
    async install(source: string, input: PluginInstallInput): Promise<Plugin> {
      return noted("plugin.install", plugins.install(source, input));
    },

    update,

    /** Updates every plugin that the catalog has; the failure of one does not hold up the others. */
    async updateAll(
      input: Omit<PluginInstallInput, "onProgress"> & {
        onProgress?: (progress: PluginProgress, key: string) => void;
        onFailure(key: string, failure: HubError): void;
      },
    ): Promise<PluginUpdate[]> {
      const { entries } = await plugins.loadCatalog();
      const offered = new Set(entries.map(({ key }) => key));
      const updates: PluginUpdate[] = [];
      for (const { key } of await plugins.list()) {
        if (!offered.has(key)) continue;
        try {
          const onProgress = (progress: PluginProgress) => input.onProgress?.(progress, key);
          updates.push(await update(key, { ...input, onProgress }));
        } catch (thrown) {
          if (!(thrown instanceof HubError)) throw thrown;
          input.onFailure(key, thrown);
        }
      }
      return updates;
    },

    async enable(key: string): Promise<Plugin> {
      return noted("plugin.enable", plugins.enable(key));
    },

    async disable(key: string): Promise<Plugin> {
      return noted("plugin.disable", plugins.disable(key));
    },

    /** What its program stored stays unless `withData`, and comes back with it. */
    async remove(key: string, options: { withData?: boolean } = {}): Promise<Plugin> {
      const state = await plugins.remove(key, options);
      await note("plugin.remove", state, options.withData ? { data: true } : {});
      return toPlugin(state);
    },
  };
}

function matches(entry: CatalogEntry, words: readonly string[]): boolean {
  const text = `${entry.key} ${entry.name} ${entry.description}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function toOffer(
  hostPlatform: string,
  { key, name, description, version, assets }: CatalogEntry,
  installedVersion: string | null,
): PluginOffer {
  return {
    key,
    name,
    description,
    version,
    platforms: Object.keys(assets).sort(),
    available: Object.hasOwn(assets, hostPlatform),
    installed_version: installedVersion,
    update_available: installedVersion !== null && isNewerVersion(version, installedVersion),
  };
}

function toPlugin({ key, plugin, enabled, problem }: PluginState): Plugin {
  const meta = plugin?.manifest.module.Meta;
  return {
    key,
    name: meta?.Name || key,
    description: meta?.Description ?? "",
    version: plugin?.version ?? null,
    platforms: plugin?.manifest.os_arch ?? [],
    proto_version: plugin?.manifest.proto_version ?? null,
    signature: plugin?.signature ?? null,
    enabled,
    problem,
  };
}
