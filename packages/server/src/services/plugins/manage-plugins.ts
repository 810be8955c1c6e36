import { containsText } from "@hub/connector";
import type {
  Plugin,
  PluginFence,
  PluginProgress,
  PluginSearch,
  PluginUpdate,
} from "@hub/contract/plugin.ts";
import type { CatalogEntry } from "@hub/contract/plugin-catalog.ts";
import type { Actor } from "../../changes/actor.ts";
import { type Change, recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { describeAbsence, describeKind } from "../../plugins/fence/describe-fence.ts";
import { createFence, toFenceDeps } from "../../plugins/fence/fence.ts";
import { isNewerVersion } from "../../plugins/install/check-version.ts";
import type { UploadedArchive } from "../../plugins/install/find-install-source.ts";
import type { PluginState } from "../../plugins/sync-registry.ts";
import { refusePlugin } from "../../plugins/verify/refuse-plugin.ts";
import { transaction } from "../../store/database/database.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { findInstalledVersion, toOffer, toPlugin } from "./present-plugin.ts";

type PluginDeps = Pick<ServiceDeps, "store" | "plugins" | "now">;

export type PluginInstallInput = {
  allowDowngrade?: boolean;
  /** Allows the replacement of a plugin from another source. */
  replace?: boolean;
  /** Allows plain http. */
  insecure?: boolean;
  /** The folder that relative paths start at. */
  cwd: string;
  onProgress?: (progress: PluginProgress) => void;
  signal?: AbortSignal;
};

type UpdateAllInput = Omit<PluginInstallInput, "onProgress"> & {
  onProgress?: (progress: PluginProgress, key: string) => void;
  onFailure(key: string, failure: HubError): void;
};

export async function listPlugins({ plugins }: Pick<PluginDeps, "plugins">): Promise<Plugin[]> {
  return (await plugins.list()).map(toPlugin);
}

/** What keeps the programs of plugins away from the hub's keys and data, as `hub doctor` says it. */
export function findPluginFence({ config }: Pick<ServiceDeps, "config">): PluginFence {
  const fence = createFence(toFenceDeps(config));
  const state = fence.findState();
  if (state.fault !== null) return { in_force: false, text: `${state.fault}. No program starts` };
  const isInForce = fence.separates();
  return { in_force: isInForce, text: isInForce ? describeKind(state) : describeAbsence(state) };
}

export async function showPlugin(
  { plugins }: Pick<PluginDeps, "plugins">,
  key: string,
): Promise<Plugin> {
  return toPlugin(await plugins.find(key));
}

/**
 * Plugins of the catalog whose key, name and description together contain every word of the query.
 */
export async function searchPlugins(
  { plugins }: Pick<PluginDeps, "plugins">,
  query = "",
): Promise<PluginSearch> {
  const { entries, staleSince } = await plugins.loadCatalog();
  const installed = new Map(
    (await plugins.list()).map((state) => [state.key, findInstalledVersion(state)]),
  );
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const shown = entries.filter((entry) => matches(entry, words));
  const others = new Set<string>();
  for (const { key } of shown) {
    if (installed.has(key) && (await plugins.findOtherSource(key)) !== null) others.add(key);
  }
  return {
    plugins: shown.map((entry) => {
      const offer = toOffer(plugins.thisHub, entry, installed.get(entry.key) ?? null);
      return others.has(entry.key) ? { ...offer, update_available: false } : offer;
    }),
    stale_since: staleSince?.toISOString() ?? null,
  };
}

/** Installs from the catalog (by name), a folder, a .zip or .tar.gz file, a URL, or an upload. */
export async function installPlugin(
  deps: PluginDeps,
  actor: Actor,
  source: string | UploadedArchive,
  input: PluginInstallInput,
): Promise<Plugin> {
  const install = (onProgress: (progress: PluginProgress) => void) =>
    recordState(
      deps,
      actor,
      "plugin.install",
      deps.plugins.install(source, { ...input, onProgress, by: actor.email }),
    );
  return await join(deps, ["install", source], input, install);
}

/**
 * Installs the catalog's version if it is newer. Admins who update a plugin at the same time see the
 * progress of one update.
 */
export async function updatePlugin(
  deps: PluginDeps,
  actor: Actor,
  key: string,
  input: PluginInstallInput,
): Promise<PluginUpdate> {
  return await join(deps, ["update", key], input, (onProgress) =>
    updateOnce(deps, actor, key, { ...input, onProgress }),
  );
}

/** Joins the same work of another admin. Uploads, and work that its caller can stop, run alone. */
async function join<T>(
  { plugins }: Pick<PluginDeps, "plugins">,
  [action, source]: [string, string | UploadedArchive],
  input: PluginInstallInput,
  work: (onProgress: (progress: PluginProgress) => void) => Promise<T>,
): Promise<T> {
  const { onProgress = () => {}, signal, ...options } = input;
  if (typeof source !== "string" || signal !== undefined) return await work(onProgress);
  return await plugins.join(JSON.stringify([action, source, options]), onProgress, work);
}

async function updateOnce(
  deps: PluginDeps,
  actor: Actor,
  key: string,
  input: PluginInstallInput,
): Promise<PluginUpdate> {
  const { plugins } = deps;
  const present = await plugins.find(key);
  const offer = await plugins.findOffer(key);
  if (!input.replace) await checkFromCatalog(plugins, key);
  const previous = findInstalledVersion(present);
  // A refused plugin is repaired by a new installation, whatever its version was.
  if (previous !== null && !isNewerVersion(offer.version, previous)) {
    return { ...toPlugin(present), previous_version: previous, updated: false };
  }
  const state = await plugins.install(key, { ...input, by: actor.email });
  await record(deps, actor, "plugin.update", state, { from: previous });
  return { ...toPlugin(state), previous_version: previous, updated: true };
}

/** Throws `plugin_refused` for a plugin that did not come from the catalog. */
async function checkFromCatalog(plugins: PluginDeps["plugins"], key: string): Promise<void> {
  const other = await plugins.findOtherSource(key);
  if (other === null) return;
  throw refusePlugin({
    plugin: key,
    check: "source",
    expected: "a plugin that was installed from the catalog",
    found: `one from ${other}`,
    remedy:
      'Install its new version from there with `hub plugin install`. If the catalog has the same plugin and you trust it, add --replace, or "replace": true over the API.',
  });
}

/** Updates every plugin that is in the catalog, and came from it; one failure does not stop the others. */
export async function updateAllPlugins(
  deps: PluginDeps,
  actor: Actor,
  input: UpdateAllInput,
): Promise<PluginUpdate[]> {
  const { entries } = await deps.plugins.loadCatalog();
  const offered = new Set(entries.map(({ key }) => key));
  const updates: PluginUpdate[] = [];
  for (const { key } of await deps.plugins.list()) {
    if (!offered.has(key) || (await deps.plugins.findOtherSource(key)) !== null) continue;
    try {
      const onProgress = (progress: PluginProgress) => input.onProgress?.(progress, key);
      updates.push(await updatePlugin(deps, actor, key, { ...input, onProgress }));
    } catch (thrown) {
      if (!(thrown instanceof HubError)) throw thrown;
      input.onFailure(key, thrown);
    }
  }
  return updates;
}

export function enablePlugin(deps: PluginDeps, actor: Actor, key: string): Promise<Plugin> {
  return recordState(deps, actor, "plugin.enable", deps.plugins.enable(key));
}

export function disablePlugin(deps: PluginDeps, actor: Actor, key: string): Promise<Plugin> {
  return recordState(deps, actor, "plugin.disable", deps.plugins.disable(key));
}

/** Keeps the data of its program unless `withData`; a later installation finds this data again. */
export function removePlugin(
  deps: PluginDeps,
  actor: Actor,
  key: string,
  options: { withData?: boolean } = {},
): Promise<Plugin> {
  const detail = options.withData ? { data: true } : {};
  return recordState(deps, actor, "plugin.remove", deps.plugins.remove(key, options), detail);
}

async function recordState(
  deps: PluginDeps,
  actor: Actor,
  action: Change["action"],
  change: Promise<PluginState>,
  detail: Record<string, unknown> = {},
): Promise<Plugin> {
  const state = await change;
  await record(deps, actor, action, state, detail);
  return toPlugin(state);
}

/** Called after the change: files changed, and a transaction cannot roll that back. */
async function record(
  { store, now }: PluginDeps,
  actor: Actor,
  action: Change["action"],
  state: PluginState,
  detail: Record<string, unknown>,
): Promise<void> {
  const stamp = stampChange(actor, now());
  const change: Change = {
    action,
    kind: "plugin",
    id: state.key,
    name: state.plugin?.manifest.module.Meta?.Name || state.key,
    detail: { ...detail, version: state.plugin?.version ?? null },
  };
  await transaction(store.db, (trx) => recordChange(trx, stamp, change));
}

function matches(entry: CatalogEntry, words: readonly string[]): boolean {
  const text = `${entry.key} ${entry.name} ${entry.description}`.toLowerCase();
  return words.every((word) => containsText(text, word));
}
